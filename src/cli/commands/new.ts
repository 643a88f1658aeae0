import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readTextFile } from "../../config/text-file.ts";
import { edit } from "../../language/edit/edit.ts";
import { nearest } from "../../language/nearest.ts";
import { exitCodes } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import { folderAstray, keptFolder, shippedBlueprints } from "../documents/by-name.ts";
import { type Problem, report, usage } from "../problem.ts";
import type { World } from "../world.ts";

const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const usual = "fix-test-failure";

/** Writes a blueprint of this name into the project, from an example; never over one that is there. */
export function create(world: World, name: string, options: { readonly from?: string }): number {
  if (!namePattern.test(name)) {
    const hint = "Small letters, digits, _ and -, at most 64, beginning with a letter or digit.";
    return report(world, usage(`${name} cannot be the name of a blueprint`, hint));
  }
  const examples = shippedBlueprints();
  const from = options.from ?? usual;
  const example = examples.get(from);
  if (example === undefined) {
    const near = nearest(from, examples.keys());
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    return report(world, usage(`there is no example ${from}${meant}`, `There are: ${[...examples.keys()].join(", ")}`));
  }
  const named = edit(readFileSync(example, "utf8"), [{ kind: "set", path: ["name"], value: name }]);
  if ("problem" in named) throw new Error(`the example ${from} is damaged: ${named.problem}`);
  const tests = readTextFile(example.replace(/\.yaml$/, ".test.yaml"));
  const astray = folderAstray(world.cwd);
  if (astray !== null) return report(world, astray);
  const folder = relative(world.cwd, keptFolder(world.cwd));
  const file = join(folder, `${name}.yaml`);
  const files = new Map([[file, named.text]]);
  if (tests !== null && "text" in tests) files.set(join(folder, `${name}.test.yaml`), tests.text);
  const problem = writeNew(world.cwd, files);
  if (problem !== null) return report(world, problem);
  const tested = files.size === 1 ? "" : `; test it with: trammel test ${name}`;
  world.out.write(`wrote ${file}, from the example ${from}; run it with: trammel run TASK -b ${name}${tested}\n`);
  return exitCodes.ok;
}

/** All of them, or none where one is there already. */
function writeNew(cwd: string, files: ReadonlyMap<string, string>): Problem | null {
  const there = [...files.keys()].find((file) => existsSync(join(cwd, file)));
  if (there !== undefined) return usage(`there is a ${there} already`);
  for (const [file, text] of files) {
    try {
      mkdirSync(join(cwd, dirname(file)), { recursive: true });
      writeFileSync(join(cwd, file), text, { flag: "wx" });
    } catch (error) {
      return usage(`${file} cannot be written: ${messageOf(error)}`);
    }
  }
  return null;
}
