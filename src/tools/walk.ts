import { readdir } from "node:fs/promises";
import path from "node:path";
import { limits } from "../model/limits.ts";
import type { Reads } from "../ports/reads.ts";
import type { ToolContext } from "../ports/tool.ts";
import { quietGit } from "./command-tools.ts";
import { gitNames } from "./git-names.ts";
import type { ToolParts } from "./parts.ts";
import type { Place } from "./place.ts";

export interface Walk {
  /** Paths below the place, with `/`, in order. */
  readonly files: readonly string[];
  /** There are more than `limits.walkEntries`. */
  readonly cut: boolean;
}

/**
 * Files below a folder: in a git repository those that git does not ignore,
 * elsewhere all but `.git` and `node_modules`.
 */
export async function walk(place: Place, context: ToolContext, parts: ToolParts): Promise<Walk> {
  const argv = [...quietGit, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const all = (await gitNames(argv, place.file, context, parts.blobs)) ?? (await filesBelow(place.file));
  const files = all.toSorted();
  return { files: files.slice(0, limits.walkEntries), cut: files.length > limits.walkEntries };
}

/** Those of the files below a place that an agent may read. */
export async function readable(
  files: readonly string[],
  place: Place,
  reads: Reads | undefined,
): Promise<readonly string[]> {
  if (reads === undefined) return files;
  const within = await reads.among(files.map((file) => below(place, file)));
  return files.filter((file) => within.has(below(place, file)));
}

/** The path from the workspace of a file below a place, or of the place itself. */
export function below({ path: folder }: Place, file: string): string {
  return [folder, file].filter((part) => part !== "").join("/");
}

async function filesBelow(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && files.length <= limits.walkEntries; folder = folders.pop()) {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(name);
      else if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") folders.push(name);
    }
  }
  return files;
}
