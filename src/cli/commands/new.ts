import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { edit } from "../../language/edit/edit.ts";
import { nearest } from "../../language/nearest.ts";
import { exitCodes } from "../../model/outcome.ts";
import { blueprintFolder, isTestFile } from "../document.ts";
import { packageRoot } from "../package-root.ts";
import { report, usage } from "../problem.ts";
import type { World } from "../world.ts";

const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const usual = "fix-test-failure";

/** Writes a blueprint of this name into the project, from an example; never over one that is there. */
export function create(world: World, name: string, options: { readonly from?: string }): number {
  if (!namePattern.test(name)) {
    const hint = "Small letters, digits, _ and -, at most 64, beginning with a letter or digit.";
    return report(world, usage(`${name} cannot be the name of a blueprint`, hint));
  }
  const examples = findExamples();
  const from = options.from ?? usual;
  const example = examples.get(from);
  if (example === undefined) {
    const near = nearest(from, examples.keys());
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    return report(world, usage(`there is no example ${from}${meant}`, `There are: ${[...examples.keys()].join(", ")}`));
  }
  const file = join(blueprintFolder, `${name}.yaml`);
  const named = edit(readFileSync(example, "utf8"), [{ kind: "set", path: ["name"], value: name }]);
  if ("problem" in named) throw new Error(`the example ${from} is damaged: ${named.problem}`);
  try {
    mkdirSync(join(world.cwd, blueprintFolder), { recursive: true });
    writeFileSync(join(world.cwd, file), named.text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return report(
      world,
      usage(code === "EEXIST" ? `there is a ${file} already` : `${file} cannot be written: ${message}`),
    );
  }
  world.out.write(`wrote ${file}, from the example ${from}; run it with: trammel run TASK -b ${name}\n`);
  return exitCodes.ok;
}

/** The blueprints that come with the package, by name. */
function findExamples(): ReadonlyMap<string, string> {
  const folder = join(packageRoot(), "examples");
  const files = [folder, join(folder, "minions")].flatMap((place) =>
    readdirSync(place).flatMap((file) => (file.endsWith(".yaml") && !isTestFile(file) ? [join(place, file)] : [])),
  );
  return new Map(files.map((file) => [basename(file, ".yaml"), file]));
}
