import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import type { SandboxFault, SandboxMount } from "../../ports/sandbox.ts";

/** Reads `HOST[:BOX][:ro|rw]`. Read-only unless it says `rw`; the same path in the box unless it names one. */
export function readMounts(
  texts: readonly string[],
  cwd: string,
  dataFolder: string,
): readonly SandboxMount[] | SandboxFault {
  const mounts: SandboxMount[] = [];
  for (const text of texts) {
    const mount = readMount(text, cwd);
    const problem = mount === null ? "it is not HOST, HOST:BOX or HOST:BOX:rw" : problemOf(mount, dataFolder);
    if (mount === null || problem !== null)
      return {
        fault: `mount "${text}" cannot be had: ${problem}`,
        hint: "Example: `./data:/data` or `/opt/sdk:/opt/sdk:ro`.",
      };
    mounts.push(mount);
  }
  return mounts;
}

function readMount(text: string, cwd: string): SandboxMount | null {
  const parts = text.split(":");
  const mode = ["ro", "rw"].includes(parts.at(-1) ?? "") ? parts.pop() : "ro";
  const [from, to, ...more] = parts;
  if (from === undefined || from === "" || more.length > 0) return null;
  const source = path.resolve(cwd, from);
  return { from: source, to: to ?? source, writable: mode === "rw" };
}

function problemOf({ from, to }: SandboxMount, dataFolder: string): string | null {
  if (!existsSync(from)) return `${from} does not exist`;
  if (!path.isAbsolute(to) || path.normalize(to) !== to || to === "/")
    return `${to} is no absolute path of a folder in the box`;
  if (/[,\n]/.test(from + to)) return "a path may hold no comma and no line end";
  const real = realpathSync(from);
  const data = existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder;
  return isInside(real, data) || isInside(data, real) ? "Trammel's own data must stay outside of a box" : null;
}

function isInside(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
}
