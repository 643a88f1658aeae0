import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, extname, join, relative, resolve } from "node:path";
import { limits } from "../model/limits.ts";
import { type Problem, usage } from "./problem.ts";

export interface SourceDocument {
  /** As the person wrote it, for messages. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** Where a project keeps the blueprints that are run by name. */
export const blueprintFolder = join(".trammel", "blueprints");
const extensions = [".yaml", ".yml"] as const;

/** Reads a document that must be text of at most `limits.documentBytes`; whatever else stands there is a problem in one sentence. */
export async function readDocument(name: string, cwd: string): Promise<SourceDocument | Problem> {
  const file = resolve(cwd, name);
  try {
    const handle = await open(file, "r");
    try {
      if ((await handle.stat()).isDirectory())
        return usage(`${name} is a directory, not a file`, "Name the .yaml file inside it.");
      const bytes = await readBounded(handle);
      if (bytes === null)
        return usage(`${name} is larger than ${limits.documentBytes / 1024 / 1024} MiB, the most a document may hold`);
      const text = decode(bytes);
      return text === null ? usage(`${name} is not UTF-8 text`, "A blueprint is a YAML file.") : { name, file, text };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(name, error as NodeJS.ErrnoException);
  }
}

function unreadable(name: string, error: NodeJS.ErrnoException): Problem {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return usage(`there is no file ${name}`);
    case "EACCES":
    case "EPERM":
      return usage(`${name} may not be read by this user`);
    case undefined:
    default:
      return usage(`${name} cannot be read: ${error.message}`);
  }
}

/** Null when there is more than a document may hold; reads no further than that, so that a device cannot fill the memory. */
async function readBounded(handle: FileHandle): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(64 * 1024));
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > limits.documentBytes) return null;
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** The blueprint that `--blueprint` names: a path when it looks like one or exists, else a name in the project's folder. */
export async function findBlueprint(name: string, cwd: string): Promise<SourceDocument | Problem> {
  const looksLikePath = name.includes("/") || extensions.some((extension) => extname(name) === extension);
  if (looksLikePath || (await exists(resolve(cwd, name)))) return readDocument(name, cwd);
  for (const extension of extensions) {
    const file = join(cwd, blueprintFolder, name + extension);
    if (await exists(file)) return readDocument(relative(cwd, file), cwd);
  }
  const known = await listBlueprints(cwd);
  return usage(
    `there is no blueprint ${name}, neither as a file nor in ${blueprintFolder}`,
    known.length === 0 ? "Name a file: trammel run TASK -b path/to/blueprint.yaml" : `There are: ${known.join(", ")}`,
  );
}

/** Names that `--blueprint` understands here, in order. */
export async function listBlueprints(cwd: string): Promise<readonly string[]> {
  const entries = await readdir(join(cwd, blueprintFolder)).catch(() => []);
  const known = entries.filter((entry) => extensions.some((extension) => extname(entry) === extension));
  return known.map((entry) => basename(entry, extname(entry))).toSorted();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
