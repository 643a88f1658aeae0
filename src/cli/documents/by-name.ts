import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { namesFile, nearestAbove } from "../../config/load.ts";
import { isTaken } from "../../config/text-file.ts";
import { nearest } from "../../language/nearest.ts";
import { inertLine } from "../../views/inert.ts";
import { type Problem, usage } from "../problem.ts";
import { isTestFile, readDocument, type SourceDocument } from "./document.ts";
import { isFile, isFolder, namesIn } from "./files.ts";
import { packageRoot } from "./package-root.ts";

/** Where a project keeps the blueprints that are run by name. */
export const blueprintFolder = join(".trammel", "blueprints");
const extensions = [".yaml", ".yml"] as const;

/**
 * The blueprint that `--blueprint` names: a path when it looks like one or exists, else a name in the folder of the
 * project; looked for from each of these places, and at last among those that come with the package. What stands where
 * one would be and cannot be read is a problem, and never passed over for the next.
 */
export function findBlueprint(name: string, ...places: readonly [string, ...string[]]): SourceDocument | Problem {
  for (const place of places) {
    const file = fileOf(name, place);
    if (file !== null) return typeof file === "string" ? readDocument(file, place) : file;
  }
  if (namesFile(name)) return readDocument(name, places[0]);
  const shipped = shippedBlueprints().get(name);
  return shipped === undefined ? unknown(name, places) : readDocument(shipped, places[0]);
}

function fileOf(name: string, cwd: string): string | Problem | null {
  if (namesFile(name)) return isTaken(resolve(cwd, name)) ? name : null;
  if (isFile(resolve(cwd, name))) return name;
  const astray = folderAstray(cwd, `, and ${name} may be kept there`);
  if (astray !== null) return astray;
  const kept = relative(cwd, keptFolder(cwd));
  const [file, twin] = extensions
    .map((extension) => join(kept, name + extension))
    .filter((one) => isTaken(resolve(cwd, one)));
  if (file === undefined) return null;
  return twin === undefined ? file : usage(`${file} and ${twin} have one name`, "Rename one of them.");
}

/**
 * Tells what stands where the folder of blueprints, or the one around it, would be, and what follows from it; null
 * where that is none or a folder.
 */
export function folderAstray(cwd: string, soWhat = ""): Problem | null {
  const places = [dirname(blueprintFolder), blueprintFolder].map((name) => nearestAbove(cwd, name));
  const astray = places.find((place) => place !== null && !isFolder(place)) ?? null;
  if (astray === null) return null;
  return usage(`${relative(cwd, astray)} is no folder and leads to none${soWhat}`, "Mend or remove it.");
}

function unknown(name: string, places: readonly string[]): Problem {
  const own = [...new Set(places.flatMap((place) => listBlueprints(place)))].toSorted();
  const shipped = [...shippedBlueprints().keys()];
  const beside = extensions
    .map((extension) => name + extension)
    .find((file) => places.some((place) => isFile(resolve(place, file))));
  // One that is not UTF-8 is listed, and what is listed of it cannot be opened.
  const meant = beside ?? nearest(name, [...own.filter((one) => one !== name), ...shipped]);
  return usage(
    `there is no blueprint ${name}, neither as a file nor in ${blueprintFolder}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    own.length === 0
      ? `Name a file, as in path/to/blueprint.yaml, or one that comes with trammel: ${shipped.join(", ")}`
      : `There are: ${own.map(inertLine).join(", ")}; with trammel come: ${shipped.join(", ")}`,
  );
}

/** Whether the text means a blueprint rather than a run: it looks like a path, or is the name of one. */
export function namesBlueprint(text: string, cwd: string): boolean {
  return namesFile(text) || listBlueprints(cwd).includes(text) || shippedBlueprints().has(text);
}

/** Absolute folder of the project's blueprints: the nearest at or above in the repository, or where it would be. */
export function keptFolder(cwd: string): string {
  return nearestAbove(cwd, blueprintFolder) ?? join(cwd, blueprintFolder);
}

/** Names that `--blueprint` understands here by the project, in order. */
export function listBlueprints(cwd: string): readonly string[] {
  return [...blueprintsIn(keptFolder(cwd)).keys()].toSorted();
}

/** Blueprints that come with the package, by name: absolute files. One of the project goes before one of that name. */
export function shippedBlueprints(): ReadonlyMap<string, string> {
  const folder = join(packageRoot(), "examples");
  return new Map([...blueprintsIn(folder), ...blueprintsIn(join(folder, "minions"))].toSorted(inOrder));
}

function inOrder([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function blueprintsIn(folder: string): ReadonlyMap<string, string> {
  const files = namesIn(folder).filter(
    (entry) => extensions.some((extension) => extname(entry) === extension) && !isTestFile(entry),
  );
  return new Map(files.map((file) => [basename(file, extname(file)), join(folder, file)]));
}
