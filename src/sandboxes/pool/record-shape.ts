import * as z from "zod";

const limit = z.number().optional();

export const recordShape = z.object({
  version: z.literal(1),
  id: z.string(),
  run: z.string(),
  node: z.string(),
  /** The engine that has or had it open; see owner.ts. */
  owner: z.string(),
  driver: z.string(),
  spec: z.object({
    image: z.string(),
    network: z.string().optional(),
    memoryBytes: limit,
    cpus: limit,
    pids: limit,
    mounts: z.array(z.object({ from: z.string(), to: z.string(), writable: z.boolean() })),
  }),
  forward: z.array(z.string()),
  /** A person wants its workspace after the run. */
  kept: z.boolean().optional(),
  checkouts: z.array(z.object({ node: z.string(), path: z.string(), base: z.string() })),
});

/** What a later engine needs to make a box anew or to clear up after it. Holds names of variables, never a value. */
export type BoxRecord = z.infer<typeof recordShape>;
