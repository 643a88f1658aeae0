import type { HumanNode } from "../../model/node.ts";
import type { GateAnswered } from "../../model/gate-events.ts";

/**
 * Whether an answer from outside is a decision that this gate takes: of the
 * type that it asks for, by somebody who may give it.
 */
export function isDecision({ mode, options = [], approvers }: HumanNode, { by, answer }: GateAnswered): boolean {
  if (approvers?.includes(by) === false) return false;
  switch (mode) {
    case "approval":
      return typeof answer === "boolean";
    case "choice":
      return options.some(({ id }) => id === answer);
    case "input":
      return typeof answer === "string";
    case "form":
      return typeof answer === "object" && answer !== null && !Array.isArray(answer);
  }
}
