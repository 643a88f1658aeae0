import { z } from "zod";

/** What `notify.command` reads and `notify.webhook` is posted: a run waits for a person. */
export const noticeShape = z.strictObject({
  run: z.string(),
  blueprint: z.string(),
  /** A gate waits for an answer, or a run that halted for a decision. */
  waits: z.enum(["answer", "decision"]),
  node: z.string().nullable(),
  /** What is asked, or why the run halted. */
  text: z.string(),
});

export type Notice = z.infer<typeof noticeShape>;
