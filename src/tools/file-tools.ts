import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { limits } from "../model/limits.ts";
import type { Reads } from "../ports/reads.ts";
import type { Tool, ToolContext, ToolResult } from "../ports/tool.ts";
import { isOpenedAt, replaceIn } from "../runtime/tree/held.ts";
import { type Arguments, numberArgument, textArgument } from "./arguments.ts";
import { failure, fileProblem, said, success } from "./answers.ts";
import { replace } from "./edit.ts";
import type { ToolParts } from "./parts.ts";
import { type Place, placeIn } from "./place.ts";

const pathSchema = { type: "string", minLength: 1, description: "Relative to the workspace" } as const;

export function fileTools(parts: ToolParts): readonly Tool[] {
  const at =
    (use: (place: Place, args: Arguments, reads: Reads | undefined) => Promise<ToolResult>) =>
    async (args: Arguments, { workspace, reads }: ToolContext) => {
      const place = await placeIn(workspace, textArgument(args, "path"), parts.dataFolder);
      if ("problem" in place) return failure(place.problem);
      try {
        return await use(place, args, reads);
      } catch (error) {
        return fileProblem(place.name, error);
      }
    };
  return [
    {
      name: "read",
      description: "Read a text file, or some of its lines.",
      access: "read",
      input: {
        type: "object",
        properties: {
          path: pathSchema,
          offset: { type: "integer", minimum: 1, description: "First line to read, from 1" },
          limit: { type: "integer", minimum: 1, description: "Number of lines" },
        },
        required: ["path"],
        additionalProperties: false,
      },
      call: at((place, args, reads) => read(place, args, parts, reads)),
    },
    {
      name: "write",
      description: "Write a text file as a whole; its folders are made. To change part of a file use edit.",
      access: "write",
      input: {
        type: "object",
        properties: { path: pathSchema, content: { type: "string" } },
        required: ["path", "content"],
        additionalProperties: false,
      },
      call: at((place, args, reads) => write(place, textArgument(args, "content"), parts, reads)),
    },
    {
      name: "edit",
      description: "Replace an exact piece of text in a file. The piece must occur once, unless all is true.",
      access: "write",
      input: {
        type: "object",
        properties: {
          path: pathSchema,
          old_text: { type: "string", description: "As it stands in the file, white space and line ends included" },
          new_text: { type: "string" },
          all: { type: "boolean", description: "Replace every occurrence" },
        },
        required: ["path", "old_text", "new_text"],
        additionalProperties: false,
      },
      call: at((place, args, reads) => edit(place, args, parts, reads)),
    },
  ];
}

async function read(
  place: Place,
  args: Arguments,
  { redactor }: ToolParts,
  reads: Reads | undefined,
): Promise<ToolResult> {
  const text = await readForAgent(place, reads);
  if (typeof text !== "string") return text;
  const lines = text.split("\n");
  const from = numberArgument(args, "offset", 1) - 1;
  if (from > 0 && from >= lines.length)
    return failure(`${place.name} has ${lines.length} lines; offset ${from + 1} is beyond its end`);
  const wanted = lines.slice(from, args["limit"] === undefined ? undefined : from + numberArgument(args, "limit", 0));
  const shown = firstLines(wanted);
  if (shown === wanted) return success(redactor.text(shown.join("\n")));
  const next = from + shown.length + 1;
  // What may begin a secret at the cut is left out with the rest.
  const certain = Buffer.from(redactor.stream().write(Buffer.from(shown.join("\n")))).toString();
  return success(`${certain}\n[lines ${from + 1} to ${next - 1} of ${lines.length}; read on with offset ${next}]`);
}

/** As many as may be shown at once; of a single line that is longer, its beginning. */
function firstLines(lines: readonly string[]): readonly string[] {
  let left: number = limits.toolTextCharacters;
  const fits = lines.findIndex((line) => (left -= line.length + 1) < 0);
  if (fits === 0) return [(lines[0] ?? "").slice(0, limits.toolTextCharacters).toWellFormed()];
  return fits < 0 ? lines : lines.slice(0, fits);
}

/** What the file holds goes to whoever calls: it has to be among what that one may read. */
async function readForAgent(place: Place, reads: Reads | undefined): Promise<string | ToolResult> {
  if (reads !== undefined && !(await reads.among([place.path])).has(place.path))
    return failure(reads.refused(place.path));
  const text = await readText(place);
  if (typeof text === "string") reads?.gave(place.path, text);
  return text;
}

async function write(place: Place, content: string, parts: ToolParts, reads: Reads | undefined): Promise<ToolResult> {
  const before = await readText(place).catch(() => null);
  if (before !== null && typeof before !== "string" && (await stat(place.file)).isDirectory()) return before;
  await replaceIn(place.root, place.file, content);
  const old = typeof before === "string" ? before : null;
  if (before === null) reads?.made(place.path);
  return changed(
    place,
    old,
    content,
    `${old === null ? "wrote" : "replaced"} ${place.name} (${Buffer.byteLength(content)} bytes)`,
    parts,
  );
}

async function edit(place: Place, args: Arguments, parts: ToolParts, reads: Reads | undefined): Promise<ToolResult> {
  const before = await readForAgent(place, reads);
  if (typeof before !== "string") return before;
  const result = replace(
    before,
    textArgument(args, "old_text"),
    textArgument(args, "new_text"),
    args["all"] === true ? "all" : "one",
  );
  if ("problem" in result) return failure(`${place.name}: ${result.problem}`);
  if ((await readText(place)) !== before) return failure(`${place.name} was changed meanwhile; read it again`);
  await replaceIn(place.root, place.file, result.text);
  const where = result.lines.length === 1 ? `line ${result.lines[0]}` : `lines ${result.lines.join(", ")}`;
  return changed(place, before, result.text, `changed ${place.name} at ${where}`, parts);
}

function changed(
  { name }: Place,
  before: string | null,
  after: string,
  what: string,
  { redactor }: ToolParts,
): ToolResult {
  const old = before === null ? null : redactor.text(before);
  return { outcome: "success", output: said(what), diffs: [{ path: name, before: old, after: redactor.text(after) }] };
}

async function readText({ file, name }: Place): Promise<string | ToolResult> {
  // Opening a pipe would wait for its writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!(await isOpenedAt(handle, file))) return failure(`${name} became a link meanwhile`);
    if (found.isDirectory()) return failure(`${name} is a folder; use list`);
    if (!found.isFile()) return failure(`${name} is no plain file`);
    if (found.size > limits.toolFileBytes)
      return failure(`${name} has ${found.size} bytes, too many to read here; use search`);
    return textOf(await handle.readFile()) ?? failure(`${name} is no UTF-8 text`);
  } finally {
    await handle.close();
  }
}

/** Null for what is no text: read as text it would come back changed. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
