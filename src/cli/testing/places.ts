import { basename, dirname, join, relative, resolve } from "node:path";
import { folderAstray, keptFolder, listBlueprints, shippedBlueprints } from "../documents/by-name.ts";
import { isTestFile } from "../documents/document.ts";
import { yamlFiles } from "../documents/documents.ts";
import { isFile, isFolder } from "../documents/files.ts";
import { limits } from "../../model/limits.ts";
import { shellWord } from "../../model/shell.ts";
import { type Problem, usage } from "../problem.ts";

/**
 * The test files at these places: a test file, the one beside a blueprint, or all of
 * a folder and below. Where no place is named, here and where the project keeps its blueprints.
 */
export function testFilesAt(places: readonly string[], cwd: string): readonly (string | Problem)[] {
  const found = places.length > 0 ? places.flatMap((place) => testFilesIn(place, cwd)) : testFilesOfProject(cwd);
  return found.filter((one, index) => typeof one !== "string" || found.indexOf(one) === index);
}

function testFilesOfProject(cwd: string): readonly (string | Problem)[] {
  const astray = folderAstray(cwd);
  return astray === null ? testFilesBelow([".", relative(cwd, keptFolder(cwd))], cwd) : [astray];
}

function testFilesBelow(folders: readonly [string, ...string[]], cwd: string): readonly string[] | readonly [Problem] {
  const tests: string[] = [];
  for (const folder of folders) {
    const files = yamlFiles(folder, cwd);
    if (files === null)
      return [usage(`${folder} holds more than ${limits.entriesPerCheckedFolder} entries`, "Name a smaller folder.")];
    tests.push(...files.filter(isTestFile));
  }
  if (tests.length > 0) return tests;
  return [usage(`there is no test in ${folders[0]}`, "A test is a file NAME.test.yaml beside a blueprint.")];
}

function testFilesIn(place: string, cwd: string): readonly (string | Problem)[] {
  if (isFolder(resolve(cwd, place))) return testFilesBelow([place], cwd);
  if (isTestFile(place)) return [place];
  const isFileName = place.includes("/") || /\.ya?ml$/.test(place);
  const folder = isFileName ? dirname(place) : relative(cwd, keptFolder(cwd));
  const stem = join(folder, basename(place).replace(/\.ya?ml$/, ""));
  const isOwn = isFileName || listBlueprints(cwd).includes(place);
  const shipped = isOwn ? undefined : shippedBlueprints().get(place);
  const beside = [stem, shipped?.replace(/\.yaml$/, "")]
    .flatMap((one) => (one === undefined ? [] : [`${one}.test.yaml`, `${one}.test.yml`]))
    .find((file) => isFile(resolve(cwd, file)));
  const here = [`${place}.test.yaml`, `${place}.test.yml`].find((file) => isFile(resolve(cwd, file)));
  const hint =
    here === undefined ? `Its tests stand in ${stem}.test.yaml.` : `To run ${here}: trammel test ${shellWord(here)}`;
  return [beside ?? usage(`there is no test of ${place}`, hint)];
}

/** The blueprint that a test file is about, where it names none: the one of the same name beside it. */
export function besideTest(file: string, cwd: string): string {
  const stem = file.replace(/\.test\.ya?ml$/, "");
  return isFile(resolve(cwd, `${stem}.yml`)) && !isFile(resolve(cwd, `${stem}.yaml`)) ? `${stem}.yml` : `${stem}.yaml`;
}
