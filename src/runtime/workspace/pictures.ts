import type { GitOptions } from "./git.ts";
import { ownFilesIn, type Writing } from "../tree/own-files.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots, type Snapshots } from "./snapshots.ts";

export interface PictureOptions extends Writing {
  readonly env: GitOptions["env"];
  /** Absolute folder for indices. */
  readonly folder: string;
  /** Ref of the first picture of the run. */
  readonly since: string;
}

/**
 * Pictures of the tree around a folder, without the files that Trammel
 * itself writes; null where it is in no repository.
 */
export async function picturesOf(cwd: string, options: PictureOptions): Promise<Snapshots | null> {
  const { env, folder, since } = options;
  const repository = await repositoryOf(cwd, env);
  if (repository === null) return null;
  return openSnapshots(repository, folder, env, await ownFilesIn(repository.root, options), since);
}
