import { classOf, type Node } from "../model/blueprint.ts";
import type { Diagnostic, Range } from "../model/diagnostic.ts";
import { type Code, problem } from "../language/codes.ts";
import { Suggestions } from "../language/nearest.ts";
import { withoutItems } from "./catalog.ts";
import { faultOf } from "./fits.ts";
import type { Entry, NodeScript, Placed, TestCase } from "./file.ts";

/** What a test says against the blueprint it is about: names that are none, and outcomes that a node cannot have. */
export function misfits(value: TestCase, nodes: ReadonlyMap<string, Node>): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const add = (code: Code, at: Range, message: string, hint?: string): void =>
    void found.push(problem(code, at, message, hint));
  const { suggest } = new Suggestions();
  const known = (name: string, at: Range): Node | undefined => {
    const node = nodes.get(withoutItems(name));
    if (node === undefined)
      add("unknown-node", at, `\`${name}\` is no node of this blueprint${suggest(withoutItems(name), nodes.keys())}`);
    return node;
  };
  const scripted = new Set<string>();
  for (const entry of value.nodes ?? []) {
    scripted.add(withoutItems(entry.name));
    if (entry.name === "*") continue;
    const node = known(entry.name, entry.at);
    if (node !== undefined) for (const fault of faultsIn(entry, node)) add("invalid-value", fault.at, fault.value);
  }
  for (const { value: name, at } of value.run ?? []) {
    const node = known(name, at);
    if (node === undefined) continue;
    if (!canRun(node))
      add(
        "invalid-value",
        at,
        `\`${name}\` is ${aWhat(node)}; only deterministic nodes are carried out for real in a test`,
      );
    if (scripted.has(name)) add("invalid-value", at, `\`${name}\` stands under \`nodes\` and under \`run\``);
  }
  for (const { at, value: name } of namesExpected(value)) known(nodes.has(name) ? name : name.replace(/#\d+$/, ""), at);
  return found;
}

function faultsIn({ value }: Entry<NodeScript>, node: Node): readonly Placed<string>[] {
  const all = "each" in value ? value.each : value.passes.flat();
  return all.flatMap((said) => {
    const fault = faultOf(said.value, node);
    return fault === null ? [] : [{ value: fault, at: said.at }];
  });
}

function namesExpected({ expect }: TestCase): readonly Placed<string>[] {
  const { route = [], passes = [], notStarted = [] } = expect;
  const steps = route.flatMap((item) => (item.kind === "gap" ? [] : item.steps));
  return [
    ...steps.map(({ value, at }) => ({ value: value.node, at })),
    ...passes.map(({ name, at }) => ({ value: name, at })),
    ...notStarted,
  ];
}

function canRun(node: Node): boolean {
  return classOf(node) === "deterministic" && node.type !== "wait";
}

function aWhat({ type }: Node): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type} node`;
}
