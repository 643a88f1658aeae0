import { z } from "zod";

/** `trammel secret list --json`, by name; a value is never shown. */
export const secretListShape = z.strictObject({
  secrets: z.array(z.strictObject({ name: z.string(), where: z.enum(["keyring", "file"]) })),
});

export type SecretList = z.infer<typeof secretListShape>;
