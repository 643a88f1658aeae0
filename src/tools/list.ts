import { readdir } from "node:fs/promises";
import { limits } from "../model/limits.ts";
import { systemCode } from "../model/thrown.ts";
import type { Tool, ToolContext, ToolResult } from "../ports/tool.ts";
import { type Arguments, numberArgument, textArgument } from "./arguments.ts";
import { failure, fileProblem, success } from "./answers.ts";
import type { ToolParts } from "./parts.ts";
import { placeIn } from "./place.ts";
import { readable, walk } from "./walk.ts";

export function listTool(parts: ToolParts): Tool {
  return {
    name: "list",
    description: "List the files and folders in a folder, without what git ignores. A folder ends with a slash.",
    access: "read",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative to the workspace; the workspace itself if left out" },
        depth: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          description: "How many levels of folders to show; 1 if left out",
        },
      },
      additionalProperties: false,
    },
    call: (args, context) => list(args, context, parts),
  };
}

async function list(args: Arguments, context: ToolContext, parts: ToolParts): Promise<ToolResult> {
  const place = await placeIn(context.workspace, textArgument(args, "path", "."), parts.dataFolder);
  if ("problem" in place) return failure(place.problem);
  try {
    await readdir(place.file);
  } catch (error) {
    return systemCode(error) === "ENOTDIR"
      ? failure(`${place.name} is a file; use read`)
      : fileProblem(place.name, error);
  }
  const { files, cut } = await walk(place, context, parts);
  const entries = entriesTo(numberArgument(args, "depth", 1), await readable(files, place, context.reads));
  const shown = entries.slice(0, limits.listEntries);
  const left = entries.length - shown.length;
  if (left > 0) shown.push(`[${left}${cut ? " and more" : ""} left out; list a folder further down]`);
  if (shown.length === 0) return success("[no files]");
  return success(parts.redactor.text(shown.join("\n")));
}

/** Files and folders down to `depth` levels, in order. */
function entriesTo(depth: number, files: readonly string[]): string[] {
  const entries = new Set<string>();
  for (const file of files) {
    const steps = file.split("/");
    entries.add(steps.length > depth ? `${steps.slice(0, depth).join("/")}/` : file);
  }
  return [...entries];
}
