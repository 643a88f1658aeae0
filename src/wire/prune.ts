import { z } from "zod";

/** `trammel prune --json`: what went, or under `--dry-run` what would go. */
export const pruneShape = z.strictObject({
  dryRun: z.boolean(),
  /** Runs that left the journal. */
  history: z.array(z.string()).readonly(),
  /** Runs that stay there without their full outputs and patches. */
  outputs: z.array(z.string()).readonly(),
  blobs: z.int().min(0),
  /** Pictures of trees, under refs of their repositories. */
  refs: z.int().min(0),
  /** Absolute paths of worktrees. */
  worktrees: z.array(z.string()).readonly(),
  /** Indices with which pictures were taken. */
  trees: z.int().min(0),
  /** Of blobs and patches. */
  bytes: z.int().min(0),
});

export type Pruned = z.infer<typeof pruneShape>;
