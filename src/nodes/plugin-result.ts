import { z } from "zod";
import type { CapturedText, NodeResult, ReasonCode } from "../model/outcome.ts";
import { messageOf, stackOf } from "../model/thrown.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { oneLine } from "../runtime/text.ts";

const count = z.number().int().nonnegative();

const text = z.object({
  text: z.string(),
  bytes: count,
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the SHA-256 of a blob")
    .optional(),
  cut: z.literal(true).optional(),
});

/**
 * What a plug-in may say of an attempt; that a run inside it halted, or
 * what `progress:` measured, is not for it to say.
 */
const shape = z.object({
  outcome: z.enum(["success", "failure", "error", "cancelled"]),
  reason: z
    .object({
      code: z.string().min(1),
      text: z.string(),
    })
    .optional(),
  output: text.optional(),
  stdout: text.optional(),
  stderr: text.optional(),
  exit: z.number().int().optional(),
  signal: z.string().optional(),
  value: z.json().optional(),
  ports: z.record(z.string(), z.json()).optional(),
  option: z.string().optional(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      turns: count,
      cost: z.number().nonnegative().optional(),
      currency: z.string().optional(),
      estimated: z.literal(true).optional(),
    })
    .optional(),
  agent: z.object({ provider: z.string(), model: z.string().optional() }).optional(),
  retryAfterMs: z.number().nonnegative().optional(),
  beforeEffect: z.boolean().optional(),
  survivors: z.array(count).optional(),
});

/**
 * What code that nobody here wrote answered, as the journal keeps it; an
 * `error` that says what is wrong where it is no result.
 */
export function pluginResult(type: string, answered: unknown, redactor: Redactor): NodeResult {
  const written = asWritten(answered);
  if ("fault" in written) return noResult(type, `what cannot be written as JSON: ${written.fault}`);
  const parsed = shape.safeParse(written.value);
  // The shape is that of a result; only the codes of reasons are open.
  if (parsed.success) return masked(parsed.data as NodeResult, redactor);
  const [first] = parsed.error.issues;
  const where = first === undefined || first.path.length === 0 ? "it" : `\`${first.path.join(".")}\``;
  return noResult(type, `no result: ${where} is not as it has to be: ${first?.message ?? "it has another form"}`);
}

/** What a plug-in threw, as the engine tells what any performer threw. */
export function pluginThrew(type: string, thrown: unknown, redactor: Redactor): NodeResult {
  return noResult(
    type,
    oneLine(redactor.text(`nothing, and threw: ${stackOf(thrown).split("\n").slice(0, 3).join(" ")}`)),
  );
}

/**
 * It has the whole environment, and what it read there has passed no boundary yet.
 * The codes of its reasons are its own.
 */
function masked(result: NodeResult, redactor: Redactor): NodeResult {
  const text = (said: string) => redactor.text(said);
  const { reason, output, stdout, stderr, signal, value, ports, option, agent } = result;
  const captured = (one: CapturedText): CapturedText => ({ ...one, text: text(one.text) });
  return {
    ...result,
    ...(reason && { reason: { code: text(reason.code) as ReasonCode, text: oneLine(text(reason.text)) } }),
    ...(output && { output: captured(output) }),
    ...(stdout && { stdout: captured(stdout) }),
    ...(stderr && { stderr: captured(stderr) }),
    ...(signal !== undefined && { signal: text(signal) }),
    ...(value !== undefined && { value: redactor.json(value) }),
    ...(ports && { ports: redactor.record(ports) }),
    ...(option !== undefined && { option: text(option) }),
    ...(agent && {
      agent: { provider: text(agent.provider), ...(agent.model === undefined ? {} : { model: text(agent.model) }) },
    }),
  };
}

function asWritten(answered: unknown): { readonly value: unknown } | { readonly fault: string } {
  try {
    const json: string | undefined = JSON.stringify(answered);
    return { value: json === undefined ? undefined : JSON.parse(json) };
  } catch (error) {
    return { fault: messageOf(error).split("\n")[0] ?? "" };
  }
}

function noResult(type: string, what: string): NodeResult {
  return {
    outcome: "error",
    reason: { code: "internal", text: `the node type ${type} of a plug-in answered ${what}` },
  };
}
