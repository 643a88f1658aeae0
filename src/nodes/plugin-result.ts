import { z } from "zod";
import { memberOf } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import { tooDeepText } from "../model/nesting.ts";
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
  if (typeof written === "string") return noResult(type, `what cannot be written as JSON: ${written}`);
  const parsed = shape.safeParse(written.result);
  // The shape is that of a result; only the codes of reasons are open.
  if (parsed.success) return masked({ ...parsed.data, ...written.values } as NodeResult, redactor);
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

interface Written {
  readonly result: unknown;
  /** What others are given of it, whole: the shape passes over names such as `__proto__`. */
  readonly values: Partial<Record<"value" | "ports", unknown>>;
}

/** As the journal would have it; why it cannot, where something would be lost. */
function asWritten(answered: unknown): Written | string {
  try {
    for (const name of ["value", "ports"]) {
      const given = memberOf(answered, name);
      const loss = given === undefined ? null : lossIn(given, name, []);
      if (loss !== null) return loss;
    }
    const json: string | undefined = JSON.stringify(answered);
    const result: unknown = json === undefined ? undefined : JSON.parse(json);
    const [value, ports] = [memberOf(result, "value"), memberOf(result, "ports")];
    return { result, values: { ...(value !== undefined && { value }), ...(ports !== undefined && { ports }) } };
  } catch (error) {
    return messageOf(error).split("\n")[0] ?? "";
  }
}

/** What JSON would turn into something else or leave out in silence, by its path; null where it keeps all. */
function lossIn(value: unknown, path: string, around: readonly object[]): string | null {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return null;
  if (typeof value === "number") return `\`${path}\` is ${value}`;
  if (typeof value !== "object") return `\`${path}\` is ${typeof value === "undefined" ? "" : "a "}${typeof value}`;
  if (around.includes(value)) return `\`${path}\` leads back to what it is in`;
  if (around.length >= limits.jsonDepth) return `\`${path}\` is ${tooDeepText}`;
  const kind = kindOf(value);
  if (kind !== null) return `\`${path}\` is a ${kind}`;
  const inside = [...around, value];
  // Holes of a list are members of it, too.
  for (const [name, member] of Array.isArray(value) ? [...value].entries() : Object.entries(value)) {
    const loss = lossIn(member, `${path}.${name}`, inside);
    if (loss !== null) return loss;
  }
  return null;
}

/** The class of what is neither a list nor a plain object, of whatever realm; null for these. */
function kindOf(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null) return null;
  return value.constructor.name || "thing of a class";
}

function noResult(type: string, what: string): NodeResult {
  return {
    outcome: "error",
    reason: { code: "internal", text: `the node type ${type} of a plug-in answered ${what}` },
  };
}
