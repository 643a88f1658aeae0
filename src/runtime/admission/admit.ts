import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { allNodes, classOf, type Node, type NodeType } from "../../model/node.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import { ownSettings } from "../../language/own-settings.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { Capabilities, Performer } from "../../ports/performer.ts";
import type { Callee, Callees, Refusal, StartRequest } from "../api.ts";
import { unfitFromStart } from "../outputs.ts";
import { inputsOf } from "./inputs.ts";

export type Performers = ReadonlyMap<NodeType, Performer>;

export interface Admitted {
  /** With the defaults filled in. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Whether the run needs its working tree to itself. */
  readonly locksTree: boolean;
}

/** Everything that can be known to fail is said before the first effect, all of it at once. */
export async function admit(
  request: StartRequest,
  performers: Performers,
  can: Capabilities,
): Promise<Admitted | Refusal> {
  const { blueprint, maxSteps, maxRetries, task, taskId } = request;
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0))
    return refuse("bad_input", `the most steps must be a whole number from 1, not ${maxSteps}`);
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= limits.retriesMax))
    return refuse(
      "bad_input",
      `the most retries must be a whole number from 0 to ${limits.retriesMax}, not ${maxRetries}`,
    );
  if (Buffer.byteLength(task) > limits.taskBytes)
    return refuse(
      "bad_input",
      `the task is longer than ${limits.taskBytes} bytes`,
      "put it into a file and name the file",
    );
  if (taskId !== undefined && !isTaskId(taskId))
    return refuse(
      "bad_input",
      `a task id is one line of 1 to ${limits.taskIdCharacters} characters, none of them invisible, without spaces around it`,
      "write it so that it cannot be taken for another one, which has counts of its own",
    );
  if (!existsSync(request.cwd))
    return refuse(
      "bad_input",
      `the working folder ${request.cwd} does not exist`,
      "make it, or name another with trammel run --cwd FOLDER",
    );
  const { prTemplate } = blueprint.records;
  if (prTemplate !== undefined && !existsSync(resolve(request.cwd, prTemplate)))
    return refuse("bad_input", `records.pr_template is ${prTemplate}, and there is no such file`);
  const { inputs, problems } = await inputsOf(blueprint, request.inputs);
  if (problems.length > 0)
    return refuse("bad_input", problems, "Give each as --input NAME=VALUE, or all of them as --input-file FILE.");
  const unfitOutputs = await unfitFromStart(blueprint, { task, inputs }, can.blobs);
  if (unfitOutputs.length > 0)
    return refuse("bad_input", unfitOutputs, "Give an input that fits, or change the type of the output.");
  const callees = calleesOf(request);
  const missing = missingIn(blueprint, callees, performers, can);
  if (missing.length > 0) return refuseMissing(missing);
  const unfit = unfitCalls(blueprint, request.callees ?? new Map());
  if (unfit.length > 0) return refuse("bad_input", unfit, "give them in `with` of the node");
  return { inputs, locksTree: [blueprint, ...callees].some((one) => locksTree(one, can)) };
}

/** Why nodes cannot run here, one text each: what is missing in its first line, what would do in the others. */
export function missingIn(
  top: Blueprint,
  callees: Iterable<Blueprint>,
  performers: Performers,
  can: Capabilities,
): readonly string[] {
  const inner = [...callees];
  const lines = [top, ...inner.map((one) => underCost(one, top))].flatMap((one) => missingOf(one, performers, can));
  return [...new Set([...together(lines), ...inner.flatMap((callee) => elsewhere(callee, top))])];
}

/** What a node misses. */
interface Missing {
  readonly kind: string;
  readonly id: string;
  readonly what: string;
}

/** One line for all nodes of a kind that miss the same. */
function together(all: readonly Missing[]): readonly string[] {
  const alike = Map.groupBy(all, ({ kind, what }) => `${kind}: ${what}`);
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = new Set(group.map(({ id }) => `"${id}"`));
    return `${first.kind}${names.size === 1 ? "" : "s"} ${[...names].join(", ")}: ${first.what}`;
  });
}

/** Everything that a run calls, and what that calls. */
export function calleesOf({ callees }: Pick<StartRequest, "callees">): readonly Blueprint[] {
  return [...(callees ?? new Map<string, Callee>()).values()].map(({ blueprint }) => blueprint);
}

/** Calls that give their callee an input that it has not, or leave one out that it needs. */
function unfitCalls(top: Blueprint, callees: Callees): readonly string[] {
  const all = [top, ...[...callees.values()].map(({ blueprint }) => blueprint)].flatMap((one) => [...allNodes(one)]);
  return all.flatMap((node) => {
    const callee = node.type === "call" ? callees.get(node.pin ?? "")?.blueprint : undefined;
    if (node.type !== "call" || callee === undefined) return [];
    const given = new Set(Object.keys(node.with ?? {}));
    const say = (what: string): string => `call "${node.id}": ${callee.name} ${what}`;
    const strange = [...given].filter((name) => name !== "task" && !Object.hasOwn(callee.inputs, name));
    const absent = Object.entries(callee.inputs).filter(
      ([name, { default: own }]) => own === undefined && !given.has(name),
    );
    return [
      ...strange.map((name) => say(`has no input "${name}"`)),
      ...absent.map(([name]) => say(`needs the input "${name}"`)),
    ];
  });
}

/** What bounds the money of a run bounds that of all runs inside it. */
function underCost(callee: Blueprint, { limits: { cost } }: Blueprint): Blueprint {
  if (cost === undefined || callee.limits.cost !== undefined) return callee;
  return { ...callee, limits: { ...callee.limits, cost } };
}

function elsewhere(callee: Blueprint, top: Blueprint): readonly string[] {
  return ownSettings(callee, top).map(
    (setting) => `blueprint ${callee.name}: ${setting} of a callee is not carried out yet; say it in ${top.name}`,
  );
}

function missingOf(blueprint: Blueprint, performers: Performers, can: Capabilities): readonly Missing[] {
  const lines: Missing[] = [];
  for (const node of allNodes(blueprint)) {
    const performer = performers.get(node.type);
    const what =
      performer === undefined ? `nothing here performs type ${node.type}` : performer.missing(node, can, blueprint);
    const kind = node.type === "plugin" ? node.plugin : node.type;
    if (what !== null) lines.push({ kind, id: node.id, what });
  }
  return lines;
}

/** A run that lets agents or git work in the tree, or watches what is written there, shares it with no other. */
function locksTree(blueprint: Blueprint, can: Capabilities): boolean {
  const { protect, checkpoint, isolate } = blueprint.workspace;
  if (protect !== undefined || checkpoint === true || isolate === "worktree") return true;
  return [...allNodes(blueprint)].some(
    (node) => classOf(node) === "agentic" || node.writes !== undefined || isGitWrite(node, can),
  );
}

function isGitWrite(node: Node, can: Capabilities): boolean {
  if (node.stock?.startsWith("git-") === true) return true;
  return node.type === "tool" && node.tool.startsWith("git_") && can.tools.get(node.tool)?.access !== "read";
}

/** The repository around a folder, or the folder, by its real path. */
export function treeOf(cwd: string): string {
  const real = realpathSync(cwd);
  for (let folder = real; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return real;
  }
}

/** Of several messages each is a reason of its own. */
export function refuse(refused: Refusal["refused"], messages: string | readonly string[], hint?: string): Refusal {
  const [message = "", ...also] = typeof messages === "string" ? [messages] : messages;
  return { refused, message, ...(also.length === 0 ? {} : { also }), ...(hint === undefined ? {} : { hint }) };
}

/** What would do is said once, under all that is missing. */
export function refuseMissing(missing: readonly string[]): Refusal {
  const texts = missing.map((text) => text.split("\n"));
  const details = [...new Set(texts.flatMap(([, ...ways]) => ways))];
  const messages = texts.map(([what = ""]) => what);
  return { ...refuse("missing_capability", messages), ...(details.length === 0 ? {} : { details }) };
}

/** All reasons of a refusal as one sentence. */
export function reasonsOf({ message, also = [] }: Pick<Refusal, "message" | "also">): string {
  return [message, ...also].join("; ");
}

function isTaskId(text: string): boolean {
  const looksLikeAnother = text !== text.trim() || text !== text.normalize("NFC") || /[\p{Cc}\p{Cf}]/u.test(text);
  return text !== "" && text.length <= limits.taskIdCharacters && !looksLikeAnother;
}
