import { type Dirent, readdirSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { limits } from "../../model/limits.ts";
import { shellWord } from "../../model/shell.ts";
import { blueprintFolder, findBlueprint, folderAstray, keptFolder } from "./by-name.ts";
import { isTestFile, readDocument, type SourceDocument } from "./document.ts";
import { isFile, isFolder } from "./files.ts";
import { type Problem, isProblem, usage } from "../problem.ts";

const isYaml = (name: string): boolean => [".yaml", ".yml"].includes(extname(name));

/**
 * What makes a YAML file in some folder a blueprint: a key of the top level, at the beginning of a line or in braces.
 */
const graphKey = /^(["']?)(?:nodes|edges|flow|watch|stages)\1\s*:/m;
const graphKeyInBraces = /[{,\s](["']?)(?:nodes|flow|watch)\1:/;

const saysWhatRuns = (text: string): boolean =>
  graphKey.test(text) || (/^\s*\{/.test(text) && graphKeyInBraces.test(text));

/**
 * The documents at these places: a file is one, whatever it holds, and so is the name of a blueprint of
 * the project; of a folder, every YAML file in it and below that says what runs, and every one where
 * blueprints are kept. Without a place, the blueprints of the project.
 */
export function documentsAt(places: readonly string[], cwd: string): readonly (SourceDocument | Problem)[] {
  if (places.length > 0) return places.flatMap((place) => documentsIn(place, cwd));
  const astray = folderAstray(cwd);
  if (astray !== null) return [astray];
  const kept = keptFolder(cwd);
  if (isFolder(kept)) return documentsIn(relative(cwd, kept) || ".", cwd);
  return [usage(`there is no folder ${blueprintFolder} here`, "Name files or folders: trammel check FILE…")];
}

function documentsIn(place: string, cwd: string): readonly (SourceDocument | Problem)[] {
  if (isTestFile(place) && !isFolder(resolve(cwd, place)))
    return [usage(`${place} holds tests of a blueprint, and is none`, `Run them: trammel test ${shellWord(place)}`)];
  if (!isFolder(resolve(cwd, place))) return [findBlueprint(place, cwd)];
  const files = yamlFiles(place, cwd);
  if (files === null)
    return [usage(`${place} holds more than ${limits.entriesPerCheckedFolder} entries`, "Name a smaller folder.")];
  const documents = files
    .filter((file) => !isTestFile(file))
    .map((file) => readDocument(file, cwd))
    .filter((one) => isProblem(one) || isKept(one.file) || saysWhatRuns(one.text));
  return documents.length > 0 ? documents : [usage(`there is no blueprint in ${place}`)];
}

/** Where blueprints are kept, or under the name of a test, a link that leads to nothing is one that cannot be read. */
function isWorthReading(link: string): boolean {
  return isKept(link) || isTestFile(link) || isFile(link);
}

function isKept(file: string): boolean {
  return dirname(file).endsWith(join(sep, blueprintFolder));
}

/**
 * Sorted; null when there are too many entries to look at. Hidden folders
 * are left out, but for where blueprints are kept.
 */
export function yamlFiles(place: string, cwd: string): readonly string[] | null {
  const found: string[] = [];
  const open = [place];
  let seen = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(resolve(cwd, folder))) {
      seen += 1;
      if (seen > limits.entriesPerCheckedFolder) return null;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && isOurs(entry.name)) open.push(path);
      else if (isYaml(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && isWorthReading(resolve(cwd, path)))))
        found.push(path);
    }
  }
  return found.toSorted();
}

function isOurs(name: string): boolean {
  return name === ".trammel" || (!name.startsWith(".") && name !== "node_modules");
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
