import { z } from "zod";

const event = z.looseObject({ type: z.string() });

/** `trammel replay RUN --json`: the first event that is not what the engine decides, or null. */
export const replayShape = z.strictObject({
  run: z.string(),
  events: z.int().min(0),
  difference: z
    .strictObject({ seq: z.int().min(1), recorded: event.nullable(), recomputed: event.nullable() })
    .nullable(),
});

const end = z.strictObject({ status: z.string().nullable(), reason: z.string().nullable() });

/** `trammel replay RUN --with FILE --json`: how the run would have gone, as far as the recorded outcomes tell. */
export const whatIfShape = z.strictObject({
  run: z.string(),
  before: end,
  after: end,
  starts: z.array(z.strictObject({ node: z.string(), before: z.int().min(0), after: z.int().min(0) })),
  assumed: z.array(z.string()),
});
