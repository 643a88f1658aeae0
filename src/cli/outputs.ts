import type { Blueprint } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import type { NodeResult } from "../model/outcome.ts";
import { RunValues } from "../runtime/values.ts";
import type { Services } from "./services.ts";

/** What a run gives back, as text: the declared outputs one a line, else what its last node said. */
export async function outputsOf({ journal, blobs }: Services, blueprint: Blueprint, run: string): Promise<string> {
  const results = new Map<string, NodeResult>();
  let task = "";
  let inputs: Readonly<Record<string, Json>> = {};
  let last: NodeResult | undefined;
  for (const { body } of journal.read(run)) {
    if (body.type === "run.started") ({ task, inputs } = body);
    if (body.type !== "node.ended") continue;
    results.set(body.node, body.result);
    last = body.result;
  }
  const declared = Object.entries(blueprint.outputs);
  if (declared.length === 0) return ended(last?.output?.text ?? "");
  const values = new RunValues({ task, inputs, results }, blobs);
  const lines: string[] = [];
  for (const [name, output] of declared) {
    const value = await values.value(output.from);
    lines.push(`${name}: ${typeof value === "string" ? value.trimEnd() : JSON.stringify(value)}\n`);
  }
  return lines.join("");
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
