import type { Blueprint } from "../../model/blueprint.ts";
import type { Json } from "../../model/json.ts";
import { LastWord } from "../../runtime/last-word.ts";
import { declaredOutputs } from "../../runtime/outputs.ts";
import { Nodes } from "../../runtime/memory/nodes.ts";
import { RunValues } from "../../runtime/values.ts";
import { wholeText } from "../../runtime/whole-text.ts";
import type { Services } from "../services.ts";

/**
 * What a run gives back, as text: the declared outputs one a line; without any, or where it did not succeed, what its
 * last node said.
 */
export async function outputsOf({ journal, blobs }: Services, blueprint: Blueprint, run: string): Promise<string> {
  const nodes = new Nodes();
  let task = "";
  let inputs: Readonly<Record<string, Json>> = {};
  const word = new LastWord(blueprint);
  let succeeded = false;
  for (const { body, at } of journal.read(run)) {
    if (body.type === "run.started") ({ task, inputs } = body);
    nodes.take(body, at);
    word.take(body);
    if (body.type === "run.finished") succeeded = body.status === "succeeded";
  }
  const values = new RunValues({ task, inputs, results: nodes.results }, blobs);
  const declared = succeeded ? await declaredOutputs(blueprint, values) : undefined;
  const last = word.of(succeeded)?.result;
  if (declared === undefined) return ended(last?.output === undefined ? "" : await wholeText(last.output, blobs));
  const lines = Object.entries(declared).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value.trimEnd() : JSON.stringify(value)}\n`,
  );
  return lines.join("");
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
