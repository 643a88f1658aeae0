import { z } from "zod";

const place = z.int().min(1);
const most = z.number().min(0).nullable();

/** `check --bound`: the most that one run can cost; null is unknown or unbounded. */
const boundShape = z.strictObject({
  file: z.string(),
  passes: z.record(z.string(), most),
  agentPasses: most,
  starts: most,
  workMs: most,
  waitMs: most,
  turns: most,
  unknown: z.array(z.strictObject({ node: z.string(), reason: z.string() })),
  tokens: most,
  cost: z.strictObject({ amount: z.number().min(0), currency: z.string() }).nullable(),
});

/** `trammel check --format json`. Lines and columns from 1, columns in UTF-16 code units, the end exclusive. */
export const diagnosticsShape = z.strictObject({
  diagnostics: z.array(
    z.strictObject({
      code: z.string(),
      severity: z.enum(["error", "warning", "note"]),
      file: z.string(),
      line: place,
      column: place,
      endLine: place,
      endColumn: place,
      message: z.string(),
      hint: z.string().nullable(),
    }),
  ),
  /** Under `--bound` only. */
  bounds: z.array(boundShape).optional(),
});
