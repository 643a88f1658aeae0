import { constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import picomatch from "picomatch";
import { limits } from "../model/limits.ts";
import { globOptions } from "../runtime/tree/globs.ts";
import { isOpenedAt } from "../runtime/tree/held.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import type { Tool, ToolContext, ToolResult } from "../ports/tool.ts";
import { type Arguments, textArgument } from "./arguments.ts";
import { failure, fileProblem, success } from "./answers.ts";
import { textOf } from "./file-tools.ts";
import { type Matcher, matcherOf } from "./matcher.ts";
import type { ToolParts } from "./parts.ts";
import { type Place, placeIn } from "./place.ts";
import { below, readable, walk } from "./walk.ts";

export function searchTool(parts: ToolParts): Tool {
  return {
    name: "search",
    description:
      "Search the text files of the workspace, without what git ignores, line by line. Answers file:line: text.",
    access: "read",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1_000, description: "A JavaScript regular expression" },
        path: { type: "string", description: "Only below this folder, or in this file" },
        glob: { type: "string", maxLength: 1_000, description: "Only files whose path fits, e.g. **/*.ts" },
        ignore_case: { type: "boolean" },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    call: (args, context) => search(args, context, parts),
  };
}

async function search(args: Arguments, context: ToolContext, parts: ToolParts): Promise<ToolResult> {
  const place = await placeIn(context.workspace, textArgument(args, "path", "."), parts.dataFolder);
  if ("problem" in place) return failure(place.problem);
  const matches = matcherOf(textArgument(args, "pattern"), args["ignore_case"] === true);
  if ("problem" in matches) return failure(matches.problem);
  try {
    const isFolder = (await stat(place.file)).isDirectory();
    const { files, cut } = isFolder ? await walk(place, context, parts) : { files: [""], cut: false };
    const { reads } = context;
    const mayRead = await readable(files, place, reads);
    if (!isFolder && mayRead.length === 0 && reads !== undefined) return failure(reads.refused(place.path));
    const wanted = globFilter(textArgument(args, "glob"), mayRead, place);
    const found = await findIn(wanted, place, matches, parts.redactor, context);
    if (found === null) return failure("the pattern takes too long; make it simpler, or search fewer files");
    const lines = found.lines.length === 0 ? ["[no match]"] : found.lines;
    return success([...lines, ...notesOn(found, cut)].join("\n"));
  } catch (error) {
    return fileProblem(place.name, error);
  }
}

/** A glob without a slash is about the last part of a path. */
function globFilter(glob: string, files: readonly string[], place: Place): readonly string[] {
  if (glob === "") return files;
  const fits = picomatch(glob, { ...globOptions, basename: !glob.includes("/") });
  return files.filter((file) => fits(path.join(place.name, file)));
}

interface Found {
  readonly lines: readonly string[];
  /** Text files that were passed by for their size. */
  readonly large: number;
}

function notesOn({ lines, large }: Found, cut: boolean): readonly string[] {
  return [
    ...(lines.length < limits.searchMatches
      ? []
      : [`[only the first ${limits.searchMatches} matches; narrow the search]`]),
    ...(large === 0 ? [] : [`[${large} files of more than ${limits.searchFileBytes} bytes were not searched]`]),
    ...(cut ? [`[only the first ${limits.walkEntries} files were searched]`] : []),
  ];
}

/** Null where the pattern takes too long. */
async function findIn(
  files: readonly string[],
  place: Place,
  matches: Matcher,
  redactor: Redactor,
  { signal, reads }: Pick<ToolContext, "signal" | "reads">,
): Promise<Found | null> {
  const found: string[] = [];
  let large = 0;
  let characters = 0;
  for (const file of files) {
    if (signal.aborted || found.length >= limits.searchMatches) break;
    const text = await readPlain(path.join(place.file, file));
    if (text === tooLarge) large += 1;
    if (typeof text !== "string") continue;
    const lines = text.split(/\r?\n/);
    const hits = matches(lines, limits.searchMatches - found.length);
    if (hits === null) return null;
    if (hits.length > 0) reads?.gave(below(place, file), text);
    const name = path.join(place.name, file).replace(/\/$/, "");
    found.push(...hits.map((index) => `${redactor.text(name)}:${index + 1}: ${shown(lines[index] ?? "", redactor)}`));
    characters += text.length;
    if (characters < limits.searchBatchCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  return { lines: found, large };
}

/** Masked before it is cut: half a secret would not be known as one. */
function shown(line: string, redactor: Redactor): string {
  const text = redactor.text(line.slice(0, limits.searchMaskCharacters)).trimEnd();
  return text.length <= limits.searchLineCharacters
    ? text
    : `${text.slice(0, limits.searchLineCharacters).toWellFormed()}…`;
}

const tooLarge = Symbol("too large");

/** Null for what is no plain text file, or gone. No link is followed, neither the file nor a folder on the way. */
async function readPlain(file: string): Promise<string | typeof tooLarge | null> {
  try {
    if ((await realpath(file)) !== path.normalize(file).replace(/\/$/, "")) return null;
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile() || !(await isOpenedAt(handle, path.normalize(file).replace(/\/$/, "")))) return null;
      return found.size > limits.searchFileBytes ? tooLarge : textOf(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
