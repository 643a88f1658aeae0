import { z } from "zod";

const place = z.int().min(1);

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
});
