import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

export const noticesFile = "THIRD-PARTY-LICENSES.txt";

/** Writes the license texts of every package that is copied into the bundle, as their licenses ask. */
export function notices(): Plugin {
  return {
    name: "notices",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const module of chunk.moduleIds) {
          const folder = packageOf(module);
          if (folder !== null) folders.add(folder);
        }
      }
      const source = [...folders]
        .toSorted()
        .map(notice)
        .join(`\n${"-".repeat(72)}\n\n`);
      this.emitFile({ type: "asset", fileName: noticesFile, source });
    },
  };
}

/** Folder of the installed package that a module belongs to, or null. */
function packageOf(module: string): string | null {
  const at = module.lastIndexOf("/node_modules/");
  if (at < 0) return null;
  for (let folder = dirname(module); folder.length > at + "/node_modules".length; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && manifestOf(folder).name !== undefined) return folder;
  }
  return null;
}

/** Fails where a package brings no license text: then it must not be copied. */
function notice(folder: string): string {
  const { name = folder, version = "", license = "" } = manifestOf(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
  if (file === undefined) throw new Error(`${name} brings no license text, so it cannot be copied into the bundle`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
