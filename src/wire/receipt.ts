import { z } from "zod";

const instant = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
const ordinal = z.int().min(1);
const attempt = { node: z.string(), pass: count, attempt: ordinal };
const usage = {
  inputTokens: count,
  outputTokens: count,
  turns: count,
  cost: z.number().nullable(),
  /** Of the cost. */
  currency: z.string().nullable(),
  /** Whether a provider said nothing of tokens, so that these are counted from the text. */
  estimated: z.boolean(),
};

/** Times in milliseconds, sizes in bytes; left out in what was recorded before there were any. */
const limits = z.record(z.string(), z.json()).optional();
const approvals = z.array(
  z.strictObject({
    ...attempt,
    mode: z.string(),
    prompt: z.string(),
    shown: z.string(),
    digest: z.string(),
    by: z.string(),
    at: instant,
    answer: z.json(),
  }),
);
const journal = z.strictObject({
  /** Number of the last event, and hash of the last record. */
  head: z.strictObject({ seq: ordinal, hash: sha256 }),
  /** `hash` is SHA-256 over the hash before (64 zeros at first), the run and the other fields, each on its line. */
  records: z
    .array(
      z.strictObject({ seq: ordinal, events: ordinal, at: count, version: ordinal, hash: sha256, body: z.string() }),
    )
    .min(1),
});

/**
 * The file of `trammel receipt RUN`. Everything above `journal` can be
 * recomputed from the journal and the definition it holds.
 */
export const receiptShape = z.strictObject({
  format: z.literal("trammel-receipt"),
  version: z.literal(1),
  /** Version of Trammel that wrote it. */
  trammel: z.string(),
  run: z.string(),
  task: z.string(),
  taskId: z.string(),
  blueprint: z.string(),
  status: z.enum(["succeeded", "failed", "rejected", "escalated", "limit", "needs_attention", "stopped"]).nullable(),
  reason: z.string().nullable(),
  startedAt: instant,
  endedAt: instant.nullable(),
  content: sha256,
  binding: sha256,
  limits,
  accepted: z.array(z.strictObject({ at: instant, content: sha256, binding: sha256, limits })),
  caps: z.array(z.strictObject({ node: z.string(), passes: count, cap: count })),
  agents: z.array(
    z.strictObject({
      node: z.string(),
      provider: z.string(),
      model: z.string().nullable(),
      attempts: ordinal,
      ...usage,
    }),
  ),
  usage: z.strictObject(usage),
  /** What agents were given beside their prompts, and the files that they read or asked for. */
  contexts: z.array(
    z.strictObject({
      ...attempt,
      bundle: sha256.nullable(),
      reads: z.array(
        z.strictObject({
          path: z.string(),
          digest: sha256.nullable(),
          how: z.enum(["given", "read", "outside", "refused"]),
        }),
      ),
      more: z.boolean(),
    }),
  ),
  approvals,
  decisions: z.array(
    z.strictObject({
      ...attempt,
      as: z.string(),
      by: z.string(),
      at: instant,
      reason: z.string().nullable(),
      grant: count.nullable(),
      used: z.strictObject(usage).optional(),
    }),
  ),
  effects: z.array(
    z.strictObject({
      ...attempt,
      type: z.string().nullable(),
      command: z.string().nullable(),
      processes: ordinal,
      startedAt: instant,
      endedAt: instant.nullable(),
      outcome: z.string().nullable(),
      exit: z.int().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  journal,
  /** The document as the run keeps it and its SHA-256; null where it is gone. */
  definition: z.strictObject({ sha256, text: z.string() }).nullable(),
  /** Those of `accepted`, in their order; left out where there are none. */
  acceptedDefinitions: z.array(z.strictObject({ sha256, text: z.string() }).nullable()).optional(),
  /** Runs inside, by their path `call` or `call/map[2]`; left out where there are none. */
  inside: z.array(z.strictObject({ run: z.string(), path: z.string(), approvals, journal })).optional(),
  /** SHA-256 of each full output that its records name and that was no longer kept; left out where there is none. */
  gone: z.array(sha256).optional(),
  /** SHA-256 of the file's text without this field. */
  seal: sha256,
});

export type Receipt = z.infer<typeof receiptShape>;
