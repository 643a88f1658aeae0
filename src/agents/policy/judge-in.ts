import type { AgentPolicy } from "../../model/agent-settings.ts";
import { pathOutside } from "./command-reads.ts";
import { judge, type Asked, type Verdict } from "./policy.ts";

/**
 * As {@link judge}; and where commands are let through by a list, it is for the
 * workspace: one that names a path outside is not on it.
 */
export function judgeIn(workspace: string, policy: AgentPolicy, asked: Asked): Verdict {
  const judged = judge(policy, asked);
  const listed = policy.allow !== undefined && policy.allow.length > 0;
  if (judged.verdict !== "allowed" || asked.command === null || !listed) return judged;
  const outside = pathOutside(asked.command, workspace);
  if (outside === null) return judged;
  return policy.mode === "ask"
    ? { verdict: "ask" }
    : { verdict: "denied", why: `${outside} is outside of the workspace, for which the policy's allow list is` };
}
