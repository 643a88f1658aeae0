import type { RunHalting } from "../model/events.ts";
import { shellWord } from "../model/shell.ts";
import { usedOptions } from "../model/usage.ts";
import type { RunStatus } from "../model/outcome.ts";

/** How a person goes on from where a run halted, a line each; nothing where nobody has to. */
export function decisionText(
  run: string,
  status: RunStatus,
  { node: name, reason, lasting, unsaid }: Pick<RunHalting, "node" | "reason" | "lasting" | "unsaid">,
): readonly string[] {
  // Time, tokens and cost are of the whole run: there is no node to decide about.
  if (name === undefined)
    return status === "limit"
      ? [
          "  It is over. Once that limit is raised, do it anew: trammel run",
          `  or, where trammel.yaml set it, from a node of it on: trammel fork ${run} --at NODE`,
        ]
      : [];
  const node = shellWord(name);
  const used = unsaid === undefined ? [] : [`  and what was used that nobody has said: ${usedOptions(unsaid)}`];
  if (status === "needs_attention")
    return [`  Say what became of it: trammel settle ${run} ${node} --as done|failed|again`, ...used];
  if (status !== "escalated" && status !== "limit") return [];
  const decide = `  Decide how to go on: trammel resolve ${run} --node ${node} --as done|failed|again --reason TEXT`;
  if (lasting === true)
    return [
      `  It holds as long as the run does. With more steps, from a node of it on: trammel fork ${run} --at NODE --max-steps N`,
    ];
  if (reason.code === "cap") return [decide, "  For further passes of it: --as again --grant N"];
  if (unsaid !== undefined) return [decide, ...used];
  if (reason.code === "limit") return [decide, "  Once that limit is raised: --as again --accept-changes"];
  return [decide];
}
