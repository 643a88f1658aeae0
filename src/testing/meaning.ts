import { classOf, type Node } from "../model/blueprint.ts";
import type { Diagnostic, Range } from "../model/diagnostic.ts";
import { type Code, problem } from "../language/codes.ts";
import { Suggestions } from "../language/nearest.ts";
import { around, withoutItems } from "./catalog.ts";
import { faultOf } from "./fits.ts";
import type { Entry, NodeScript, Placed, TestCase } from "./file.ts";

/** What a test says against the blueprint it is about: names that are none, outcomes a node cannot have, nodes nothing is said of. */
export function misfits(test: Placed<TestCase>, nodes: ReadonlyMap<string, Node>): readonly Diagnostic[] {
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
  const { value } = test;
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
      add("invalid-value", at, `\`${name}\` is ${aWhat(node)}; only deterministic nodes are carried out for real in a test`);
    if (scripted.has(name)) add("invalid-value", at, `\`${name}\` stands under \`nodes\` and under \`run\``);
  }
  for (const { at, value: name } of namesExpected(value)) known(name, at);
  for (const [path, node] of nodes) {
    if (isSettled(path, node, value, scripted)) continue;
    add("missing-field", head(test), `Test \`${value.name}\` says nothing about ${aWhat(node)} \`${path}\``, hintFor(path, node));
  }
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

/** Whether it is known what becomes of a node: it is scripted or real, its time or what is inside it goes on by itself, or a node around it is scripted. */
function isSettled(path: string, node: Node, test: TestCase, scripted: ReadonlySet<string>): boolean {
  if (scripted.has(path) || around(path).some((one) => scripted.has(one))) return true;
  if (node.type === "wait" || node.type === "call" || node.type === "map") return true;
  if (test.run?.some(({ value }) => value === path) === true) return true;
  if (node.type === "agent" && test.cassettes !== undefined) return true;
  return node.type !== "human" && scripted.has("*");
}

function canRun(node: Node): boolean {
  return classOf(node) === "deterministic" && node.type !== "wait";
}

function hintFor(path: string, node: Node): string {
  if (node.type === "human") return `Say what is answered: nodes: {${path}: ${node.mode === "approval" ? "yes" : "…"}}`;
  if (node.type === "agent") return `Say what comes of it: nodes: {${path}: success}; or name a folder of recordings: cassettes: …`;
  return canRun(node)
    ? `Say what comes of it: nodes: {${path}: success}; or have it carried out: run: [${path}]`
    : `Say what comes of it: nodes: {${path}: success}`;
}

function aWhat({ type }: Node): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type} node`;
}

/** A whole test may be long: its first line stands for it. */
function head({ at }: Placed<TestCase>): Range {
  return { start: at.start, end: at.start + 1 };
}

