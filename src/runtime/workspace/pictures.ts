import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import { realOf } from "../tree/plain-file.ts";
import { isInside } from "../tree/scan.ts";
import type { GitOptions } from "./git.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots, type Snapshots } from "./snapshots.ts";

export interface PictureOptions {
  /** Absolute folder of all state. */
  readonly home: string;
  readonly env: GitOptions["env"];
  /** Absolute folder for indices. */
  readonly folder: string;
  /** Absolute folder in which the run was asked for. */
  readonly project: string;
  readonly records: Blueprint["records"];
  /** Absolute folder of cassettes that are recorded. */
  readonly record?: string | undefined;
}

/** Pictures of the tree around a folder, without the files that Trammel itself writes; null where it is in no repository. */
export async function picturesOf(cwd: string, options: PictureOptions): Promise<Snapshots | null> {
  const { home, env, folder, project, records, record } = options;
  const repository = await repositoryOf(cwd, env);
  if (repository === null) return null;
  const files = [records.state, records.counters].flatMap((file) =>
    file === undefined ? [] : [resolve(project, file)],
  );
  const own = await Promise.all([home, ...files].map((path) => realpath(path).catch(() => path)));
  const { root } = repository;
  const except = own.filter((path) => isInside(root, path) && path !== root).map((path) => relative(root, path));
  return openSnapshots(repository, folder, env, except, record === undefined ? [] : cassettesIn(record, root));
}

/** Glob of the cassettes in a folder. What else lies there is not ours. */
function cassettesIn(folder: string, root: string): readonly string[] {
  const real = realOf(folder) ?? folder;
  if (!isInside(root, real)) return [];
  const escaped = relative(root, real).replaceAll(/[\\*?[\]]/g, "\\$&");
  return [`${escaped === "" ? "" : `${escaped}/`}*.[0-9]*.jsonl`];
}
