import type { Blueprint } from "../../src/model/blueprint.ts";
import type { CallNode, MapNode } from "../../src/model/node.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { Template } from "../../src/model/template.ts";
import { parseTemplate } from "../../src/language/template.ts";
import type { JournalReader, RunRow } from "../../src/ports/journal.ts";
import type { Callees } from "../../src/runtime/api.ts";
import { plain } from "./blueprints.ts";

export function template(source: string): Template {
  return parseTemplate(source);
}

export function calling(id: string, pin: string, more: Partial<CallNode> = {}): CallNode {
  return { id, type: "call", blueprint: `${pin}.yaml`, pin, ...more };
}

/** Does one thing with each item of what `list` said. */
export function mapping(id: string, more: Partial<MapNode> = {}): MapNode {
  const body = { entry: "do", nodes: new Map([["do", plain("do")]]), edges: [] };
  return { id, type: "map", over: template("{list}"), do: body, ...more };
}

export function callees(of: Readonly<Record<string, Blueprint>>): Callees {
  return new Map(Object.entries(of).map(([pin, blueprint]) => [pin, { blueprint, document: `name: ${pin}` }]));
}

export function said(text: string): NodeResult {
  return { outcome: "success", output: { text, bytes: text.length } };
}

/** In the order in which they began. */
export function runsInside(journal: JournalReader, run: string): readonly RunRow[] {
  return journal.runs(1_000, run).toReversed();
}
