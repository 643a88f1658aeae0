import type { Blueprint } from "../model/blueprint.ts";
import { classOf, type Node } from "../model/node.ts";
import type { Diagnostic, Range } from "../model/diagnostic.ts";
import { type Code, problem } from "../language/codes.ts";
import { oneOfWords, Suggestions } from "../language/nearest.ts";
import type { Outcome } from "../model/outcome.ts";
import { around, withoutItems } from "./catalog.ts";
import { faultOf, choicesOf } from "./fits.ts";
import type { Entry, Placed } from "../language/read/collections.ts";
import type { NodeScript, TestCase } from "./file.ts";

/** What a test says against the blueprint it is about: names that are none, and outcomes that a node cannot have. */
export function misfits(
  value: TestCase,
  { inputs, outputs }: Pick<Blueprint, "inputs" | "outputs">,
  nodes: ReadonlyMap<string, Node>,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const add = (code: Code, at: Range, message: string, hint?: string): void =>
    void found.push(problem(code, at, message, hint));
  const { suggest } = new Suggestions();
  const known = (name: string, at: Range): Node | undefined => {
    const node = nodes.get(withoutItems(name));
    if (node === undefined)
      add("unknown-node", at, `\`${name}\` is no node of this blueprint${suggest(withoutItems(name), nodes.keys())}`);
    const holder = node === undefined ? undefined : itemless(name, nodes);
    if (holder !== undefined) add("unknown-node", at, `\`${holder}\` is no map, so it has no items to count`);
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
  for (const { at, value: name, word } of namesExpected(value)) {
    const node = known(nodes.has(name) ? name : name.replace(/#\d+$/, ""), at);
    if (node === undefined || word === undefined) continue;
    const endings = [...routed, ...choicesOf(node)];
    if (!endings.includes(word))
      add("invalid-value", at, `\`${name}\` does not end as \`${word}\`${suggest(word, endings)}`, endsAs(endings));
  }
  const declared = (
    what: string,
    names: readonly string[],
    given: readonly { name: string; at: Range }[] = [],
  ): void => {
    for (const { name, at } of given)
      if (!names.includes(name))
        add("invalid-value", at, `\`${name}\` is no ${what} of this blueprint${suggest(name, names)}`);
  };
  declared("input", Object.keys(inputs), value.inputs);
  declared("output", Object.keys(outputs), value.expect.outputs);
  return found;
}

function faultsIn({ value }: Entry<NodeScript>, node: Node): readonly Placed<string>[] {
  const all = "each" in value ? value.each : value.passes.flat();
  return all.flatMap((said) => {
    const fault = faultOf(said.value, node);
    return fault === null ? [] : [{ value: fault, at: said.at }];
  });
}

/** How a step of a route can end, beside by an option. */
const routed: readonly Outcome[] = ["success", "failure", "error", "cancelled", "skipped", "unconfirmed"];

function endsAs(endings: readonly string[]): string {
  return `It ends as ${oneOfWords(endings)}.`;
}

/** What a path counts the items of and that has none: `test` of `test[1]/do`. */
function itemless(path: string, nodes: ReadonlyMap<string, Node>): string | undefined {
  return [path, ...around(path)]
    .filter((one) => one.endsWith("]") && nodes.get(withoutItems(one))?.type !== "map")
    .map(withoutItems)[0];
}

function namesExpected({ expect }: TestCase): readonly (Placed<string> & { readonly word?: string })[] {
  const { route = [], passes = [], notStarted = [], escalation } = expect;
  const halted = typeof escalation === "object" ? escalation.node : undefined;
  const steps = route.flatMap((item) => (item.kind === "gap" ? [] : item.steps));
  return [
    ...steps.map(({ value, at }) => ({
      value: value.node,
      at,
      ...(value.word === undefined ? {} : { word: value.word }),
    })),
    ...passes.map(({ name, at }) => ({ value: name, at })),
    ...notStarted,
    ...(halted === undefined ? [] : [halted]),
  ];
}

function canRun(node: Node): boolean {
  return classOf(node) === "deterministic" && node.type !== "wait";
}

function aWhat({ type }: Node): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type} node`;
}
