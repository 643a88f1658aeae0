import { z } from "zod";
import type { NodeResult } from "../model/outcome.ts";
import { messageOf } from "../model/thrown.ts";

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
      text: z.string().transform((said) => said.replace(/\s*[\r\n]+\s*/g, " ").trim()),
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
export function pluginResult(type: string, answered: unknown): NodeResult {
  const written = asWritten(answered);
  if ("fault" in written) return noResult(type, `what cannot be written as JSON: ${written.fault}`);
  const parsed = shape.safeParse(written.value);
  // The shape is that of a result; only the codes of reasons are open.
  if (parsed.success) return parsed.data as NodeResult;
  const [first] = parsed.error.issues;
  const where = first === undefined || first.path.length === 0 ? "it" : `\`${first.path.join(".")}\``;
  return noResult(type, `no result: ${where} is not as it has to be: ${first?.message ?? "it has another form"}`);
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
