import { createHash } from "node:crypto";
import { z } from "zod";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { AgentRequest, AgentResult } from "../../ports/provider.ts";

/** Raised when a cassette of today can no longer be read. */
const cassetteVersion = 1;

/** Lines are parsed as JSON before they are looked at. */
const json = z.custom<Json>((value) => value !== undefined);

const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  turns: z.number(),
  cost: z.number().exactOptional(),
  currency: z.string().exactOptional(),
  estimated: z.literal(true).exactOptional(),
});

const head = z.strictObject({
  cassette: z.literal(cassetteVersion),
  node: z.string(),
  pass: z.int().positive(),
  provider: z.string(),
  model: z.string().nullable(),
  /** The digest is of the whole text, which may be cut here. */
  prompt: z.strictObject({ digest: z.string(), text: z.string() }),
  inputs: z.strictObject({ digest: z.string(), value: z.record(z.string(), json) }),
});

const content = z.union([
  z.strictObject({ text: z.string(), executable: z.boolean() }),
  z.strictObject({ base64: z.string(), executable: z.boolean() }),
  z.strictObject({ link: z.string() }),
]);

const file = z.strictObject({ path: z.string(), before: z.string().nullable(), after: content.nullable() });

const text = z.string();

const event: z.ZodType<AgentEvent> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal(["text", "thinking"]), text }),
  z.strictObject({ type: z.literal("tool_call"), id: text, tool: text, input: json }),
  z.strictObject({ type: z.literal("tool_result"), id: text, tool: text, ok: z.boolean(), output: text }),
  z.strictObject({ type: z.literal("diff"), path: text, before: text.nullable(), after: text.nullable() }),
  z.strictObject({ type: z.literal("permission"), tool: text, request: text, decision: z.enum(["allowed", "denied"]) }),
  z.strictObject({ type: z.literal("usage"), usage }),
  z.strictObject({ type: z.literal("paused"), why: z.enum(["quota", "overloaded"]), ms: z.number() }),
  z.strictObject({ type: z.literal("quiet"), ms: z.number(), leftMs: z.number() }),
  z.strictObject({
    type: z.literal("stop"),
    why: z.enum(["end_turn", "refusal", "turn_limit", "output_limit", "give_up", "cancelled", "error"]),
  }),
]);

const result = z.strictObject({
  outcome: z.enum(["success", "failure", "error", "cancelled"]),
  reason: z
    .strictObject({
      code: z.custom<NonNullable<AgentResult["reason"]>["code"]>((code) => typeof code === "string"),
      text: z.string(),
    })
    .exactOptional(),
  message: z.string(),
  value: json.exactOptional(),
  option: z.string().exactOptional(),
  usage: usage.exactOptional(),
  retryAfterMs: z.number().exactOptional(),
  beforeEffect: z.boolean(),
});

export type CassetteHead = z.infer<typeof head>;
export type CassetteFile = z.infer<typeof file>;

export interface Cassette {
  readonly head: CassetteHead;
  readonly events: readonly AgentEvent[];
  readonly files: readonly CassetteFile[];
  readonly result: AgentResult;
}

/** What a request is known by, beside its prompt. The model is not part of it: a recording stands for any. */
export function headOf(
  request: AgentRequest,
  prompt: string,
  provider: string,
  shorten: (text: string) => string,
): CassetteHead {
  const value = {
    options: request.options === undefined ? null : [...request.options],
    output: request.output === undefined ? null : { ...request.output },
    tools: request.toolScope === null ? null : [...request.toolScope].toSorted(),
  };
  return {
    cassette: cassetteVersion,
    node: request.node,
    pass: request.pass,
    provider,
    model: request.model,
    prompt: { digest: digestOf(prompt), text: shorten(prompt) },
    inputs: { digest: digestOf(JSON.stringify(value)), value },
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** One JSON value a line: the head, each event, each file, the result. */
export function printCassette({ head: first, events, files, result: last }: Cassette): string {
  const lines = [
    first,
    ...events.map((one) => ({ event: one })),
    ...files.map((one) => ({ file: one })),
    { result: last },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads what {@link printCassette} wrote; anything else is a sentence that names the line. */
export function parseCassette(text: string): Cassette | { readonly problem: string } {
  if (Buffer.byteLength(text) > limits.cassetteBytes)
    return { problem: `is larger than ${limits.cassetteBytes} bytes` };
  const events: AgentEvent[] = [];
  const files: CassetteFile[] = [];
  let first: CassetteHead | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const parsed = parseLine(line, first === null);
    if ("problem" in parsed) return { problem: `line ${index + 1}: ${parsed.problem}` };
    if ("head" in parsed) first = parsed.head;
    else if ("event" in parsed) events.push(parsed.event);
    else if ("file" in parsed) files.push(parsed.file);
    else if (first !== null) return { head: first, events, files, result: parsed.result };
  }
  return { problem: "has no result: its recording was not finished" };
}

const body = z.union([z.strictObject({ event }), z.strictObject({ file }), z.strictObject({ result })]);

type Line = { readonly head: CassetteHead } | z.infer<typeof body> | { readonly problem: string };

function parseLine(line: string, isFirst: boolean): Line {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "is no JSON" };
  }
  if (isFirst) {
    const version = typeof value === "object" && value !== null && "cassette" in value ? value.cassette : undefined;
    if (typeof version === "number" && version > cassetteVersion)
      return { problem: `version ${version} needs a newer Trammel` };
    const parsed = head.safeParse(value);
    return parsed.success ? { head: parsed.data } : { problem: "is no head of a cassette" };
  }
  const parsed = body.safeParse(value);
  return parsed.success ? parsed.data : { problem: "is neither an event, a file nor a result" };
}
