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

const halts = z.array(z.strictObject({ cause: z.string(), node: z.string().nullable(), reason: z.string() }));
const seen = {
  run: z.string(),
  before: end,
  after: end,
  /** Nodes that start more or less often. */
  starts: z.array(z.strictObject({ node: z.string(), before: z.int().min(0), after: z.int().min(0) })),
  /** Halts, as escalations, of only one of the two. */
  halts: z.strictObject({ before: halts, after: halts }),
  /** Nodes that needed an outcome nobody recorded; they are taken to succeed. */
  assumed: z.array(z.string()),
  /** Nodes that do something else now; what was recorded of them is taken all the same. */
  changed: z.array(z.string()),
  /** Passes of `decide` nodes that choose otherwise than was recorded, or by a guess; `guess` says why it is one. */
  decisions: z.array(
    z.strictObject({
      node: z.string(),
      pass: z.int().min(1),
      before: z.string().nullable(),
      after: z.string(),
      guess: z.string().nullable(),
    }),
  ),
};

/**
 * `trammel replay RUN --with FILE --json`: how the run would have gone, as far as what was recorded tells. `inside` are
 * the runs inside it at any depth that would have gone another way, by their path `call` or `call/map[2]`.
 */
export const whatIfShape = z.strictObject({
  ...seen,
  inside: z.array(z.strictObject({ path: z.string(), ...seen })),
});
