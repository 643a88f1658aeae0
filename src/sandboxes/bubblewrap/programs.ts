import { existsSync } from "node:fs";
import path from "node:path";

/** Absolute paths; a box is started with a search path that is the box's and not the host's. */
export interface Programs {
  readonly bwrap: string;
  readonly nsenter: string;
  readonly unshare: string;
}

/** A sentence where one is not installed. */
export function findPrograms(env: Readonly<Record<string, string>>): Programs | string {
  const folders = (env["PATH"] ?? "").split(path.delimiter);
  const find = (name: string): string | undefined =>
    folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  const [bwrap, nsenter, unshare] = [find("bwrap"), find("nsenter"), find("unshare")];
  if (bwrap === undefined) return "bwrap is not on PATH; install bubblewrap";
  if (nsenter === undefined || unshare === undefined) return "nsenter and unshare are not on PATH; install util-linux";
  return { bwrap, nsenter, unshare };
}
