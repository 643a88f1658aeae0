import { z } from "zod";

/** `trammel list --json`. `note` says what an invalid one suffers from. */
export const blueprintListShape = z.strictObject({
  blueprints: z.array(
    z.strictObject({
      name: z.string(),
      file: z.string().nullable(),
      valid: z.boolean(),
      note: z.string().nullable(),
      /** It comes with trammel, and is none of the project's. */
      shipped: z.boolean(),
    }),
  ),
});

export type BlueprintList = z.infer<typeof blueprintListShape>;
