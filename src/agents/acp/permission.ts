import type {
  PermissionOption,
  RequestPermissionResponse,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import type { AgentRequest } from "../../ports/provider.ts";
import type { ToolAccess } from "../../ports/tool.ts";
import { shellLine } from "../../model/shell.ts";
import { judgeIn } from "../policy/judge-in.ts";
import { judge, type Verdict } from "../policy/policy.ts";
import { confined } from "./workspace.ts";

/** What is known of a tool call of the agent; later messages fill it in. */
export interface Action {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly command: string | null;
  /** The files that it says it touches. */
  readonly paths: readonly string[];
}

/** The action as the policy names it: `read write edit run …`, whatever the agent calls it. */
export function actionOf(call: Described, known?: Action): Action {
  const kind = call.kind ?? known?.kind ?? "other";
  const command = kind === "execute" ? (commandOf(call.rawInput) ?? known?.command ?? call.title ?? "") : null;
  const own = call.name ?? call._meta?.["toolName"];
  const tool = kind === "other" && typeof own === "string" ? own : known?.kind === kind ? known.tool : names[kind];
  return { tool, kind, command, paths: pathsOf(call) ?? known?.paths ?? [] };
}

export type Described = Pick<
  ToolCallUpdate,
  "kind" | "title" | "name" | "rawInput" | "locations" | "content" | "_meta"
>;

/** Null where the message says nothing of files. */
function pathsOf({ locations, content, rawInput }: Described): readonly string[] | null {
  const changed = (content ?? []).flatMap((one) => (one.type === "diff" ? [one.path] : []));
  const paths = new Set([...(locations ?? []).map(({ path }) => path), ...changed, ...argumentPaths(rawInput)]);
  return paths.size === 0 ? null : [...paths];
}

/** What agents call the argument that is a path. */
const pathArguments: ReadonlySet<string> = new Set([
  "path",
  "file",
  "file_path",
  "filePath",
  "absolute_path",
  "abs_path",
]);

function argumentPaths(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    pathArguments.has(name) && typeof value === "string" && value !== "" ? [value] : [],
  );
}

const names: Readonly<Record<ToolKind, string>> = {
  read: "read",
  search: "search",
  think: "think",
  fetch: "fetch",
  edit: "edit",
  delete: "delete",
  move: "move",
  execute: "run",
  switch_mode: "switch_mode",
  other: "other",
};

/** The tools of ours that do the like of it; a thought is no tool. */
function ours({ kind, tool }: Action): readonly string[] {
  switch (kind) {
    case "read":
      return ["read", "list"];
    case "search":
      return ["search", "list"];
    case "edit":
      return ["edit", "write"];
    case "execute":
      return ["run"];
    default:
      return [tool];
  }
}

export function accessOf(kind: ToolKind): ToolAccess {
  switch (kind) {
    case "read":
    case "search":
    case "think":
    case "fetch":
      return "read";
    case "edit":
    case "delete":
    case "move":
      return "write";
    case "execute":
    case "switch_mode":
    case "other":
      return "command";
  }
}

function commandOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null || !("command" in input)) return null;
  const { command } = input;
  if (typeof command === "string") return command;
  const words = Array.isArray(command) ? command : [];
  return words.length > 0 && words.every((word) => typeof word === "string") ? shellText(words) : null;
}

/** As `sh -c` and its like take it: their argument is the command. */
function shellText(words: readonly string[]): string {
  const [program = "", flag = "", script] = words;
  if (/(^|\/)(ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag) && script !== undefined) return script;
  return shellLine(words);
}

/** What the policy says of an action. Where its files are ours, it changes none outside of the workspace. */
export function verdictOf(request: AgentRequest, action: Action, boxed = false): Verdict {
  const outside =
    boxed || accessOf(action.kind) !== "write"
      ? undefined
      : action.paths.find((path) => confined(request.workspace, path) === null);
  if (outside !== undefined) return { verdict: "denied", why: `${outside} is outside the workspace` };
  const { toolScope } = request;
  if (toolScope !== null && action.kind !== "think" && !ours(action).some((tool) => toolScope.includes(tool)))
    return { verdict: "denied", why: `${action.tool} is not among the tools of the node (${toolScope.join(", ")})` };
  if (action.kind === "fetch" && request.policy.network === false)
    return { verdict: "denied", why: "the policy has network: false" };
  const isTool = (name: string): boolean => Object.values(names).includes(name);
  const asked = { tool: action.tool, access: accessOf(action.kind), command: action.command, isTool };
  return boxed ? judge(request.policy, asked) : judgeIn(request.workspace, request.policy, asked);
}

/** Picks among the options that the agent declared; where none says no, the request is cancelled. */
export function reply(options: readonly PermissionOption[], granted: boolean): RequestPermissionResponse {
  const wanted = granted ? (["allow_once", "allow_always"] as const) : (["reject_once", "reject_always"] as const);
  const option = wanted.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined);
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}
