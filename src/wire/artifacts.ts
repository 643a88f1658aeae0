import { z } from "zod";

/** `trammel artifacts RUN --json`. */
export const artifactsShape = z.strictObject({
  run: z.string(),
  artifacts: z.array(
    z.strictObject({
      /** Name of the file that `--out` writes. */
      name: z.string(),
      kind: z.enum(["output", "stdout", "stderr", "patch"]),
      node: z.string(),
      /** Null for a patch, which is about the whole run. */
      pass: z.int().min(0).nullable(),
      attempt: z.int().min(1).nullable(),
      bytes: z.int().min(0),
      /** Absolute path where a file of its own holds it; null where the journal does. */
      file: z.string().nullable(),
      /** The middle was dropped at `limits.output`; `bytes` then counts what the node said. */
      cut: z.boolean(),
      /** The file is gone. */
      missing: z.boolean(),
    }),
  ),
});

export type Artifacts = z.infer<typeof artifactsShape>;
