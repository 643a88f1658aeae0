import { z } from "zod";

/** What `notify.command` reads and `notify.webhook` is posted: a run waits for a person. */
export const noticeShape = z.strictObject({
  run: z.string(),
  blueprint: z.string(),
  /** A gate waits for an answer, a run that halted for a decision, or everybody for a sign of life of an agent. */
  waits: z.enum(["answer", "decision", "sign_of_life"]),
  node: z.string().nullable(),
  /** What is asked, why the run halted, or for how long nothing has come. */
  text: z.string(),
});

export type Notice = z.infer<typeof noticeShape>;
