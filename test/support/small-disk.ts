import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A file system in a folder of its own, of a size such as `1m`. Needs to be root, or to become it by sudo. */
export class SmallDisk implements Disposable {
  readonly folder: string;

  constructor(folder: string, size: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const options = `size=${size},mode=0700,uid=${process.getuid?.() ?? 0}`;
    asRoot("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder);
  }

  grow(size: string): void {
    asRoot("mount", "-o", `remount,size=${size}`, this.folder);
  }

  [Symbol.dispose](): void {
    asRoot("umount", "--lazy", this.folder);
  }
}

function asRoot(...command: readonly string[]): void {
  const [program = "", ...rest] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}
