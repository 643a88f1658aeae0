import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, sep } from "node:path";

/** Whether a file is there that this user may execute. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The file that a program is: the first of its name on `path`, or the one that it names; null where there is none. */
export function which(program: string, path = ""): string | null {
  if (program.includes(sep)) return isProgram(program) ? program : null;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null;
}
