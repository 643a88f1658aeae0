import type { CallNode } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext, ChildEnd, Performer } from "../ports/performer.ts";
import { textOfJson } from "../runtime/values.ts";
import { argumentsOf } from "./arguments.ts";
import { evidenceOf, heldBy, outcomeOf, saidJson } from "./inner-result.ts";

/** Performs `call` nodes: the callee is a run of its own inside the attempt. */
export const call: Performer<CallNode> = { type: "call", class: "wrapper", untimed: true, missing, perform };

function missing({ solution, pin }: CallNode): string | null {
  if (solution !== undefined) return "there is no library of solutions yet; call a blueprint by its path";
  return pin === undefined ? "its blueprint was not looked up" : null;
}

async function perform(context: ActionContext<CallNode>): Promise<NodeResult> {
  const { node, children, values } = context;
  const given = await argumentsOf(node.with ?? {}, values);
  const { task, ...inputs } = given;
  const own = task === undefined ? await values.whole(taskOf) : textOfJson(task);
  const end = await children.call(node.pin ?? "", own, inputs);
  const usage = children.usage();
  const used = usage === undefined ? {} : { usage };
  if ("refused" in end) {
    const text = `${node.blueprint ?? node.id}: ${end.refused}`;
    return { outcome: "error", reason: { code: "could_not_start", text }, beforeEffect: true, ...used };
  }
  if (end.halt !== null) return { ...heldBy(end.halt, end), ...used };
  return { ...(end.status === "succeeded" ? await returned(end, context) : failed(end)), ...used };
}

const taskOf = {
  source: "{task}",
  parts: [{ ref: { source: "task", name: "", path: [], start: 0, end: 6 } }],
} as const;

/** The declared outputs are the ports of the node; without any it says what the callee said last. */
async function returned({ outputs, result }: ChildEnd, { can }: ActionContext<CallNode>): Promise<NodeResult> {
  if (outputs !== null) {
    const value: Json = outputs;
    return { outcome: "success", output: await saidJson(value, can.blobs), value, ports: outputs };
  }
  if (result === null) return { outcome: "success" };
  const { value, ports, option, exit } = result;
  return {
    outcome: "success",
    ...evidenceOf({ result }),
    ...(value === undefined ? {} : { value }),
    ...(ports === undefined ? {} : { ports }),
    ...(option === undefined ? {} : { option }),
    ...(exit === undefined ? {} : { exit }),
  };
}

function failed(end: ChildEnd): NodeResult {
  const outcome = outcomeOf(end);
  const text = end.reason ?? `it ended ${end.status}`;
  const code = outcome === "cancelled" ? "cancelled" : end.status === "rejected" ? "declined" : "child";
  return { outcome, reason: { code, text }, ...evidenceOf(end) };
}
