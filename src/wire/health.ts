import { z } from "zod";

/** `trammel doctor --json`. */
export const healthShape = z.strictObject({
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status: z.enum(["ok", "missing", "optional"]),
      detail: z.string(),
      mend: z.string().nullable(),
    }),
  ),
});
