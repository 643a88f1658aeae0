import type { NodeResult } from "../../model/outcome.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext } from "../../ports/performer.ts";

/**
 * Gives work of several steps the one timeout of its node; passing it is a failure, whatever
 * the work answers afterwards, and for a box that is made an error.
 */
export async function within(
  context: ActionContext,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<NodeResult>,
): Promise<NodeResult> {
  const { timeoutMs, signal, node } = context;
  const deadline = new AbortController();
  const disarm = timeoutMs === null ? undefined : clock.after(timeoutMs, () => deadline.abort());
  const result = await work(AbortSignal.any([signal, deadline.signal]));
  disarm?.();
  if (!deadline.signal.aborted || signal.aborted) return result;
  const { value: _value, ports: _ports, ...said } = result;
  const outcome = node.type === "provision" ? "error" : "failure";
  return { ...said, outcome, reason: { code: "timeout", text: `took longer than ${timeoutMs} ms` } };
}
