import { z } from "zod";

/** `trammel run --dry-run --json`: the way of a run in which every node succeeds. */
export const routeShape = z.strictObject({
  starts: z.array(
    z.strictObject({
      step: z.int().min(1),
      node: z.string(),
      class: z.enum(["deterministic", "agentic", "human", "decision", "wrapper"]),
      pass: z.int().min(1),
    }),
  ),
  notReached: z.array(z.string()),
  status: z.string().nullable(),
  reason: z.string().nullable(),
});
