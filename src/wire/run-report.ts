import { z } from "zod";
import type { Json } from "../model/json.ts";

const instant = z.iso.datetime();
const json: z.ZodType<Json> = z.json();

export const attemptShape = z.strictObject({
  n: z.int().min(1),
  pass: z.int().min(1),
  outcome: z.enum(["success", "failure", "error", "cancelled", "skipped", "unconfirmed"]).nullable(),
  reason: z.string().nullable(),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  output: z.string().nullable(),
  outputBytes: z.int().min(0),
  /**
   * What an agent was given beside its prompt, by SHA-256, and the first files
   * it read outside of its context or was refused.
   */
  context: z.strictObject({
    bundle: z.string().nullable(),
    outside: z.array(z.string()),
    refused: z.array(z.string()),
  }),
  /** Of people, to the node as a gate; `gate` is another where one before it was asked again, as it did not hold. */
  answers: z.array(z.strictObject({ gate: z.string(), by: z.string(), at: instant, answer: json })),
});

const runStatusShape = z.enum([
  "running",
  "waiting",
  "succeeded",
  "failed",
  "rejected",
  "escalated",
  "limit",
  "needs_attention",
  "stopped",
  "interrupted",
]);

/** `trammel show RUN --json`. */
export const runReportShape = z.strictObject({
  run: z.string(),
  blueprint: z.string(),
  task: z.string(),
  taskId: z.string(),
  status: runStatusShape,
  reason: z.string().nullable(),
  /** Nodes that did not succeed, with an edge that took that on. */
  walkedPast: z.array(z.string()),
  startedAt: instant,
  endedAt: instant.nullable(),
  /**
   * What it is bound by, as a blueprint says it (`steps`, `time`, `cost` …);
   * empty where nothing is or that was not recorded.
   */
  limits: z.record(z.string(), z.union([z.string(), z.number()])),
  /** When the first pause that a provider asked for is over, where nothing but pauses is kept and people are asked. */
  wakesAt: instant.nullable(),
  usage: z.strictObject({
    inputTokens: z.int(),
    outputTokens: z.int(),
    turns: z.int(),
    cost: z.number().nullable(),
    /** Of the cost. */
    currency: z.string().nullable(),
    /** Whether a provider said nothing of tokens, so that these are counted from the text. */
    estimated: z.boolean(),
  }),
  nodes: z.array(
    z.strictObject({
      id: z.string(),
      type: z.string().nullable(),
      class: z.enum(["deterministic", "agentic", "human", "decision", "wrapper"]).nullable(),
      state: z.string(),
      passes: z.int().min(0),
      attempts: z.array(attemptShape),
    }),
  ),
  /** The failures that together made it escalate, in their order; empty where one did. */
  evidence: z.array(z.strictObject({ node: z.string(), pass: z.int().min(1), attempt: z.int().min(1) })),
  /** Runs inside its calls and maps, in the order in which they began. */
  inside: z.array(
    z.strictObject({
      run: z.string(),
      node: z.string(),
      pass: z.int().min(1),
      item: z.int().min(0).nullable(),
      status: runStatusShape,
      reason: z.string().nullable(),
    }),
  ),
  /** Questions that nobody has answered, also of runs inside: `node` is a path then, `call/child` or `map[2]/child`. */
  waiting: z.array(
    z.strictObject({
      node: z.string(),
      mode: z.enum(["input", "approval", "choice", "form"]),
      prompt: z.string(),
      /** What it shows, each text bounded to its end. */
      shown: z.array(z.string()),
      /** Options of a choice, as `id` or `id: title`; fields of a form, as `name: type`. */
      choices: z.array(z.string()),
      since: instant,
    }),
  ),
});

export type RunReport = z.infer<typeof runReportShape>;
export type AttemptReport = z.infer<typeof attemptShape>;

/** `trammel runs --json`, newest first; with `--all` each followed by those inside it, oldest first. */
export const runListShape = z.strictObject({
  runs: z.array(
    z.strictObject({
      run: z.string(),
      blueprint: z.string(),
      task: z.string(),
      status: runStatusShape,
      reason: z.string().nullable(),
      startedAt: instant,
      endedAt: instant.nullable(),
      /** Of a run inside another. */
      parent: z
        .strictObject({ run: z.string(), node: z.string(), pass: z.int().min(1), item: z.int().min(0).nullable() })
        .nullable(),
    }),
  ),
  /**
   * Runs to be that wait for their turn, in their order; `waitsFor` is a
   * sentence about the first that stands before it.
   */
  queued: z.array(
    z.strictObject({ run: z.string(), blueprint: z.string(), place: z.int().min(1), waitsFor: z.string().nullable() }),
  ),
});

export type RunList = z.infer<typeof runListShape>;

/** The last line of `trammel run --json`; the lines before it are events, told apart by `type`. */
export const runEndShape = z.looseObject({
  type: z.literal("run.finished"),
  run: z.string(),
  status: runStatusShape,
  reason: z.string().nullable(),
  exitCode: z.int().min(0).max(255),
});

export type RunEndLine = z.infer<typeof runEndShape>;

/** The only line of a `--detach`ed run that its blueprint skips while another has its place; `because` is that one. */
export const runSkippedShape = z.strictObject({
  type: z.literal("run.skipped"),
  reason: z.string(),
  because: z.string(),
  exitCode: z.literal(0),
});

export type RunSkippedLine = z.infer<typeof runSkippedShape>;

/** Every other line of `trammel run --json` and `trammel logs --json`. */
export const eventLineShape = z.looseObject({ type: z.string(), run: z.string(), seq: z.int().min(1), at: instant });
