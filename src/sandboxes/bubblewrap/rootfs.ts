import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import { script } from "../inside/launch.ts";
import type { DriverParts } from "../parts.ts";
import { removeTree } from "./layout.ts";
import type { Programs } from "./programs.ts";

/** The files of a box that has an image of its own. */
export interface Rootfs {
  /** Absolute folder that becomes `/`; with a holder, inside its mount namespace. */
  readonly folder: string;
  /** Keeps the overlay mounted for as long as it lives; commands join its mount namespace. */
  readonly holder: LiveProcess | null;
  readonly notes: readonly string[];
}

/** Names relative to the folder: a path with a comma or a colon would end an overlay option. */
const mountAndHold = `cd -- "$1" && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged &&
echo ready && exec cat >/dev/null`;

/**
 * Copy-on-write over `image`. The overlay is mounted in a namespace of its own, so no mount is ever left on the host;
 * where it cannot be mounted, the image is copied. A string says why neither is possible.
 */
export async function layRootfs(
  image: string,
  scratch: string,
  programs: Programs,
  parts: DriverParts,
): Promise<Rootfs | string> {
  if (!existsSync(path.join(image, "bin"))) return `${image} is no root file system: it has no bin`;
  const root = path.join(scratch, "root");
  for (const part of ["upper", "work", "merged"]) await mkdir(path.join(root, part), { recursive: true });
  await symlink(image, path.join(root, "lower"));
  const held = await hold(root, programs, parts);
  if (typeof held !== "string") return { folder: path.join(root, "merged"), holder: held, notes: [] };
  const problem = await copyWhole(image, path.join(root, "copy"), parts);
  if (problem !== null) return `no overlay (${held}) and no copy (${problem})`;
  return {
    folder: path.join(root, "copy"),
    holder: null,
    notes: [`${image} was copied, for no overlay can be mounted here: ${held}`],
  };
}

async function hold(root: string, programs: Programs, parts: DriverParts): Promise<LiveProcess | string> {
  const asUser = isRoot() ? [] : ["--user", "--map-root-user"];
  const argv = [programs.unshare, ...asUser, "--mount", "--propagation", "slave", ...script(mountAndHold, root)];
  const holder = await parts.start({ argv, cwd: "/", env: parts.env });
  if (!("process" in holder)) return holder.message;
  let complaint = "";
  holder.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-limits.faultTextCharacters);
  });
  const { promise, resolve } = Promise.withResolvers<LiveProcess | string>();
  holder.stdout.once("data", () => resolve(holder));
  void holder.end.then(() => resolve(complaint.trim().split("\n").at(0) || "the mount failed"));
  return promise;
}

async function copyWhole(image: string, to: string, parts: DriverParts): Promise<string | null> {
  const argv = ["cp", "-a", "--reflink=auto", "--", image, to];
  const { end, stderr } = await parts.processes.run(
    { argv, cwd: "/", env: parts.env, timeoutMs: limits.sandboxStartMs, outputBytes: limits.toolOutputBytes },
    new AbortController().signal,
  );
  if (end.kind === "exit" && end.code === 0) return null;
  await removeTree(to);
  return stderr.text.trim().split("\n").at(0) || end.kind;
}

/** Words before a command that put it into the holder's view of the file system. */
export function enterArguments({ holder }: Rootfs, programs: Programs): readonly string[] {
  if (holder === null) return [];
  const asUser = isRoot() ? [] : ["--user", "--preserve-credentials"];
  return [programs.nsenter, "--target", String(holder.process.pid), "--mount", ...asUser, "--"];
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
