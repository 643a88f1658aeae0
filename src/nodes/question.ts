import { createHash } from "node:crypto";
import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode, Node } from "../model/node.ts";
import type { GateBasis } from "../model/gate-events.ts";
import { limits } from "../model/limits.ts";
import type { Question } from "../ports/gate.ts";
import type { ActionContext } from "../ports/performer.ts";
import type { Mask } from "../runtime/text.ts";

/** A word for the tree that a run works in, another one once anything in it changes; null where nobody can tell. */
export type TreeOf = (run: string) => Promise<string | null>;

export interface Showing {
  readonly treeOf: TreeOf;
  /** Takes sensitive inputs out of what is shown: it is recorded. */
  readonly mask: Mask;
}

export interface Asked {
  readonly question: Question;
  /**
   * SHA-256 over which pass of which gate asks, what is shown and, before an action, over what an approval stands for:
   * the tree, and the definition of what is done next. No two gates share one, though they ask the same.
   */
  readonly digest: string;
  readonly over: GateBasis;
}

/** What a gate asks now, in a pass of its own. */
export async function questionOf(
  { run, blueprint, values }: Pick<ActionContext, "run" | "blueprint" | "values">,
  gate: HumanNode,
  pass: number,
  { treeOf, mask }: Showing,
): Promise<Asked> {
  const [prompt = "", ...evidence] = (
    await Promise.all([
      values.text(gate.prompt, limits.promptValueBytes),
      ...(gate.show ?? []).map((one) => values.text(one, limits.gateEvidenceBytes)),
    ])
  ).map(mask);
  const { id: node, mode, options = [], fields = {} } = gate;
  const approvers = gate.approvers === undefined ? {} : { approvers: gate.approvers };
  const question: Question = { run, node, mode, prompt, evidence, options, fields, ...approvers };
  const next = mode === "approval" ? actionsAfter(blueprint, node) : [];
  const shown = sha256([mode, prompt, evidence, options, fields]);
  const over = next.length === 0 ? { shown } : { shown, tree: await treeOf(run), next: sha256(next) };
  return { question, digest: sha256([node, pass, over]), over };
}

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Nodes that do something as soon as it is approved, or after waits. */
function actionsAfter({ edges, nodes }: Blueprint, gate: string): readonly Node[] {
  const after = Map.groupBy(edges, ({ from, when = "success" }) => (when === "success" ? from : undefined));
  const actions = new Set<Node>();
  // What is added while it is looked through comes later.
  const passed = new Set([gate]);
  for (const id of passed)
    for (const { to } of after.get(id) ?? []) {
      const node = nodes.get(to);
      if (node?.type === "wait") passed.add(to);
      else if (node !== undefined && node.type !== "human") actions.add(node);
    }
  return [...actions];
}
