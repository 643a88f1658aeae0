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
