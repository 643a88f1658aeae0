import { z } from "zod";

const event = z.looseObject({ type: z.string() });
const replayed = {
  run: z.string(),
  events: z.int().min(0),
  /** The first event that is not what the engine decides. */
  difference: z
    .strictObject({ seq: z.int().min(1), recorded: event.nullable(), recomputed: event.nullable() })
    .nullable(),
};

/** `trammel replay RUN --json`. `inside` are the runs inside it at any depth, by their path `call` or `call/map[2]`. */
export const replayShape = z.strictObject({
  ...replayed,
  inside: z.array(z.strictObject({ path: z.string(), ...replayed })),
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
