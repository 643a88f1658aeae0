import { constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";

/** The file a process may write its ports to; its path is the child's `TRAMMEL_OUTPUT`. */
export interface PortFile {
  readonly path: string;
  /** Null where the process wrote none; read once, then the file is gone. */
  take(): Promise<Ports | null>;
}

export type Ports = { readonly ports: Readonly<Record<string, Json>> } | { readonly problem: string };

let folder: string | undefined;
let files = 0;

/** Nothing is made on disk: most processes have no ports. */
export function newPortFile(): PortFile {
  folder ??= makeFolder();
  files += 1;
  const file = path.join(folder, String(files));
  return { path: file, take: () => takePorts(file) };
}

/** For this process only (0700), removed when it ends in order. */
function makeFolder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "trammel-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function takePorts(file: string): Promise<Ports | null> {
  if (!existsSync(file)) return null;
  try {
    const text = await readBounded(file);
    return "problem" in text ? text : parsePorts(text.text);
  } catch (error) {
    return { problem: `$TRAMMEL_OUTPUT cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    await rm(file, { recursive: true, force: true });
  }
}

/** A link, pipe or device in its place is not opened: reading it might never end. */
async function readBounded(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  const { size } = await lstat(file);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return { problem: "$TRAMMEL_OUTPUT is not a plain file" };
    if (size > limits.portFileBytes) return { problem: `$TRAMMEL_OUTPUT is larger than ${limits.portFileBytes} bytes` };
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return { text: buffer.toString("utf8", 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

function parsePorts(text: string): Ports {
  if (text.trim() === "") return { ports: {} };
  let value: Json;
  try {
    // JSON.parse answers nothing but JSON.
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: `$TRAMMEL_OUTPUT is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { problem: '$TRAMMEL_OUTPUT must be a JSON object, e.g. {"version": "1.2"}' };
  }
  return { ports: value as Readonly<Record<string, Json>> };
}
