import type { RunHalting } from "../model/events.ts";
import { shellWord } from "../model/shell.ts";
import type { RunStatus } from "../model/outcome.ts";

/** How a person goes on from where a run halted, a line each; nothing where nobody has to. */
export function decisionText(
  run: string,
  status: RunStatus,
  { node: name, reason, lasting }: Pick<RunHalting, "node" | "reason" | "lasting">,
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
  if (status === "needs_attention")
    return [`  Say what became of it: trammel settle ${run} ${node} --as done|failed|again`];
  if (status !== "escalated" && status !== "limit") return [];
  const decide = `  Decide how to go on: trammel resolve ${run} --node ${node} --as done|failed|again --reason TEXT`;
  if (lasting === true)
    return [
      `  It holds as long as the run does. With more steps, from a node of it on: trammel fork ${run} --at NODE --max-steps N`,
    ];
  if (reason.code === "cap") return [decide, "  For further passes of it: --as again --grant N"];
  if (reason.code === "limit") return [decide, "  Once that limit is raised: --as again --accept-changes"];
  return [decide];
}
