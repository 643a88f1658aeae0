import { z } from "zod";

/**
 * `trammel inbox --json`: gates, those that wait longest first, what halted until a person
 * decides, and runs whose process is gone, both the latest first.
 */
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
  decisions: z.array(
    z.strictObject({
      run: z.string(),
      blueprint: z.string(),
      status: z.enum(["needs_attention", "escalated", "limit"]),
      node: z.string(),
      reason: z.string(),
      since: z.iso.datetime(),
    }),
  ),
  interrupted: z.array(z.strictObject({ run: z.string(), blueprint: z.string(), startedAt: z.iso.datetime() })),
});

export type Inbox = z.infer<typeof inboxShape>;
