import { z } from "zod";

const check = z
  .strictObject({
    name: z.string(),
    /** `missing`: no run works without it. `optional`: some need it. */
    status: z.enum(["ok", "missing", "optional"]),
    detail: z.string(),
    /** What to do, as one line; null where nothing is to be done. */
    mend: z.string().nullable(),
  })
  .readonly();

/** One thing that `trammel doctor` looked at. */
export type Health = z.infer<typeof check>;

/** `trammel doctor --json`. */
export const healthShape = z.strictObject({ checks: z.array(check) });
