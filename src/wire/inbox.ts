import { z } from "zod";

/** `trammel inbox --json`, oldest first. */
export const inboxShape = z.strictObject({
  waiting: z.array(
    z.strictObject({
      run: z.string(),
      blueprint: z.string(),
      node: z.string(),
      mode: z.enum(["input", "approval", "choice", "form"]),
      prompt: z.string(),
      since: z.iso.datetime(),
      /** When its time is up; one that is parked stands until its run goes on. */
      until: z.iso.datetime().optional(),
    }),
  ),
});

export type Inbox = z.infer<typeof inboxShape>;
