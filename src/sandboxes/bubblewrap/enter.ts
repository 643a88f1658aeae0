import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { SandboxImage } from "../../ports/sandbox.ts";
import { shellLine } from "../../model/shell.ts";
import { boxWorkspace, isHostImage } from "../../model/sandbox.ts";
import { shortcut } from "./userland.ts";

/**
 * A shell for a person, in a workspace that was kept, with the programs the
 * box had; what it writes elsewhere is gone with it.
 */
export function enterCommand(folder: string, { image, network }: SandboxImage): string {
  return shellLine([
    ..."bwrap --unshare-all --die-with-parent".split(" "),
    ...(network === "host" ? ["--share-net"] : []),
    ...(isHostImage(image) ? hostPrograms() : programsOf(image)),
    ..."--proc /proc --dev /dev --tmpfs /tmp --bind".split(" "),
    folder,
    boxWorkspace,
    "--chdir",
    boxWorkspace,
    "sh",
  ]);
}

function hostPrograms(): readonly string[] {
  return [
    ...["/usr", "/etc"].flatMap((name) => ["--ro-bind", name, name]),
    ...["/bin", "/sbin", "/lib", "/lib64"].flatMap(shortcut),
  ];
}

const replaced: ReadonlySet<string> = new Set(["dev", "proc", "tmp", "workspace"]);

/** Folder by folder: a read-only root would have no place for the workspace. */
function programsOf(image: string): readonly string[] {
  if (!existsSync(image)) return ["--ro-bind", image, "/"];
  return readdirSync(image)
    .filter((name) => !replaced.has(name))
    .flatMap((name) => ["--ro-bind", path.join(image, name), `/${name}`]);
}
