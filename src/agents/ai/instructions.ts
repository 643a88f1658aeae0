import type { AgentRequest } from "../../ports/provider.ts";
import { answerInstructions, isStructured } from "../answer.ts";

/** Standing instructions of one agent run. */
export function instructionsOf(request: AgentRequest, answerTool: boolean): string {
  const parts = [
    `You are one step of an automated workflow and work in the folder ${request.workspace}. Paths are relative to it.`,
    "Nobody reads along: do not ask questions, do the work with the tools you have, then end with a short message that says what you did.",
    `If the task cannot be done, call ${giveUpTool} with the reason instead of guessing.`,
  ];
  if (answerTool) parts.push(`When you are done, call ${answerInTool} with your answer; it ends your work.`);
  else if (isStructured(request)) parts.push(answerInstructions(request));
  return parts.join("\n");
}

export const giveUpTool = "give_up";
export const answerInTool = "answer";
