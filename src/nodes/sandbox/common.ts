import { isBound, largeValues } from "../large-values.ts";
import type { AgentSandboxNode, CheckoutNode, ExecNode } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { CapturedText, NodeResult } from "../../model/outcome.ts";
import type { ActionContext } from "../../ports/performer.ts";
import type { ProcessResult } from "../../ports/processes.ts";
import type { SandboxFault, SandboxInUse, SandboxPool, SandboxResult } from "../../ports/sandbox.ts";
import { resultOf } from "../process-result.ts";

/** The box a node names. */
export async function boxOf(
  context: ActionContext<AgentSandboxNode | CheckoutNode | ExecNode>,
  pool: SandboxPool,
  signal: AbortSignal,
): Promise<SandboxInUse | SandboxFault> {
  const id = (await context.values.whole(context.node.container)).trim();
  return pool.find(context.run, id, signal);
}

/** A fault before the node did anything. */
export function faultResult({ fault, hint }: SandboxFault, context: ActionContext): NodeResult {
  if (context.signal.aborted) return { outcome: "cancelled", reason: { code: "cancelled", text: "cancelled" } };
  return { outcome: "error", reason: { code: "sandbox", text: oneLine(`${fault}; ${hint}`) }, beforeEffect: true };
}

/** What the end of a command in a box means for its node. */
export function resultInBox(result: SandboxResult, timeoutMs: number | null): NodeResult {
  const { end, limit } = result;
  if (end.kind === "lost") {
    const { outcome: _, reason: __, ...texts } = resultOf({ ...result, end: { kind: "cancelled" } }, timeoutMs);
    return { ...texts, outcome: "error", reason: { code: "sandbox", text: oneLine(end.message) } };
  }
  const plain: ProcessResult = { ...result, end };
  const ended = resultOf(plain, timeoutMs);
  if (limit === undefined || ended.outcome === "success") return ended;
  const value = limit.name === "memory" ? sizeText(limit.value) : String(limit.value);
  const text = `the sandbox's limit of ${limit.name} (${value}) was reached; ${ended.reason?.text ?? end.kind}`;
  return { ...ended, outcome: "failure", reason: { code: "sandbox_limit", text } };
}

/**
 * The variables of a command in a box: forwarded ones, then the run's inputs and what the node binds. Nothing of the
 * engine's own environment, and no path of the host, goes along.
 */
export async function boxEnvironment(
  context: ActionContext,
  forwarded: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { small } = await ownVariables(context);
  return { ...forwarded, ...small };
}

/** What the run and the node bind. `large` are those that wait in a file of the host: path by name of the variable. */
export async function ownVariables(context: ActionContext): Promise<{
  readonly small: Readonly<Record<string, string>>;
  readonly large: Readonly<Record<string, string>>;
}> {
  const all = await context.environment();
  const large = largeValues(context.node, all);
  const small = Object.entries(all).filter(([name]) => isBound(context.node, name));
  return { small: Object.fromEntries(small), large };
}

/** As a document writes it: the largest unit that divides it. */
function sizeText(bytes: number): string {
  const units = ["GiB", "MiB", "KiB"];
  const at = units.findIndex((_, index) => bytes % 1024 ** (units.length - index) === 0);
  return at < 0 ? `${bytes} bytes` : `${bytes / 1024 ** (units.length - at)}${units[at]}`;
}

export function captured(text: string): CapturedText {
  return { text, bytes: Buffer.byteLength(text) };
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, limits.faultTextCharacters);
}
