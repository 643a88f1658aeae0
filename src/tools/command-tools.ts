import type { JsonObject } from "../model/json.ts";
import type { Tool, ToolAccess, ToolContext, ToolResult } from "../ports/tool.ts";
import { type Arguments, listArgument, textArgument } from "./arguments.ts";
import { limits } from "../model/limits.ts";
import { commandResult, failure, success } from "./answers.ts";
import { gitNames } from "./git-names.ts";
import type { ToolParts } from "./parts.ts";
import { placeIn } from "./place.ts";

const emptyArguments: JsonObject = { type: "object", properties: {}, additionalProperties: false };

const extraArguments: JsonObject = {
  type: "object",
  properties: {
    args: {
      type: "array",
      items: { type: "string" },
      maxItems: 200,
      description: "Further arguments, each handed over as it is",
    },
  },
  additionalProperties: false,
};

/** Any command, as a shell reads it. */
export function runTool(parts: ToolParts): Tool {
  return {
    name: "run",
    description:
      "Run a shell command in the workspace; answers what it printed and its exit code. Its standard input is empty.",
    access: "command",
    input: {
      type: "object",
      properties: { command: { type: "string", minLength: 1, description: "Read by sh -c" } },
      required: ["command"],
      additionalProperties: false,
    },
    call: (args, context) => runArgv(["sh", "-c", textArgument(args, "command")], context, parts),
  };
}

/** A command of the configuration. Its text may use "$1" and "$@" for `args`; data never becomes part of the text. */
export function namedCommand(name: string, command: string, parts: ToolParts): Tool {
  return {
    name,
    description: `Run \`${command}\` in the workspace.`,
    access: "command",
    input: extraArguments,
    call: (args, context) => runArgv(["sh", "-c", command, name, ...listArgument(args, "args")], context, parts),
  };
}

const cargoCommands: readonly (readonly [name: string, what: string, argv: readonly string[]])[] = [
  ["cargo_fmt", "Format the Rust code of the workspace", ["cargo", "fmt"]],
  ["cargo_check", "Check the Rust code for errors without building it", ["cargo", "check"]],
  ["cargo_build", "Build the Rust code", ["cargo", "build"]],
  ["cargo_test", "Run the Rust tests", ["cargo", "test"]],
  ["cargo_clippy", "Lint the Rust code", ["cargo", "clippy"]],
  ["cargo_doc", "Build the Rust documentation without that of dependencies", ["cargo", "doc", "--no-deps"]],
];

export function cargoTools(parts: ToolParts): readonly Tool[] {
  return cargoCommands.map(([name, what, argv]) => ({
    name,
    description: `${what} (\`${argv.join(" ")}\`).`,
    access: "command",
    input: extraArguments,
    call: (args, context) => runArgv([...argv, ...listArgument(args, "args")], context, parts),
  }));
}

/** Nothing that a repository's configuration names is run by a look at it, and no lock of it is taken. */
export const quietGit = [
  "git",
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.quotePath=false",
];

export function gitTools(parts: ToolParts): readonly Tool[] {
  const read: ToolAccess = "read";
  return [
    {
      name: "git_status",
      description: "Show the branch and the changed, staged and untracked files.",
      access: read,
      input: emptyArguments,
      call: (_args, context) =>
        runArgv([...quietGit, "status", "--short", "--branch", "--untracked-files=all"], context, parts),
    },
    {
      name: "git_diff",
      description: "Show the changes of tracked files that are not staged, or those that are, as a patch.",
      access: read,
      input: {
        type: "object",
        properties: {
          path: { type: "string", description: "Only below this file or folder" },
          staged: { type: "boolean", description: "The staged changes instead" },
        },
        additionalProperties: false,
      },
      call: (args, context) => gitDiff(args, context, parts),
    },
  ];
}

async function gitDiff(args: Arguments, context: ToolContext, parts: ToolParts): Promise<ToolResult> {
  const place = await placeIn(context.workspace, textArgument(args, "path", "."), parts.dataFolder);
  if ("problem" in place) return failure(place.problem);
  const staged = args["staged"] === true ? ["--cached"] : [];
  const diff = [...quietGit, "--literal-pathspecs", "diff", "--no-ext-diff", "--no-textconv", ...staged];
  const names = [...diff, "--name-only", "-z", "--relative", "--", place.file];
  const paths = await readableChanges(names, context, parts);
  if (paths === null) return runArgv([...diff, "--", place.file], context, parts);
  if (paths.length > limits.diffPaths)
    return failure(`${paths.length} changed files may be read here, too many at once; name a folder`);
  return paths.length === 0 ? success("") : runArgv([...diff, "--", ...paths], context, parts);
}

/** The changed files that an agent may read, where it may not read all; null where nothing limits it. */
async function readableChanges(
  argv: readonly string[],
  context: ToolContext,
  { blobs }: ToolParts,
): Promise<readonly string[] | null> {
  const { workspace, reads } = context;
  if (reads === undefined) return null;
  const changed = await gitNames(argv, workspace, context, blobs);
  const within = [...(await reads.among(changed ?? []))];
  for (const path of within.slice(0, limits.diffPaths)) reads.claimed(path);
  return reads.limited ? within : null;
}

async function runArgv(argv: readonly string[], context: ToolContext, { blobs }: ToolParts): Promise<ToolResult> {
  const { workspace, env, processes, timeoutMs, outputBytes, memoryBytes, signal, onLine } = context;
  const optional = { ...(memoryBytes !== undefined && { memoryBytes }), ...(onLine !== undefined && { onLine }) };
  const result = await processes.run({ argv, cwd: workspace, env, timeoutMs, outputBytes, ...optional }, signal);
  return commandResult(result, timeoutMs, blobs);
}
