import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Absolute folder of the installed package, which holds `examples`. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "examples")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
