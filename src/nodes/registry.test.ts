import { expect, test } from "vitest";
import { NodeBench, reference } from "../../test/support/node-bench.ts";
import type { Node, NodeType } from "../model/node.ts";
import { definePlugin } from "../plugin.ts";
import type { NodePlugin, Plugin } from "../ports/plugin.ts";
import { systemClock } from "../runtime/time/clock.ts";
import { createRedactor } from "../runtime/redaction/redactor.ts";
import { createPerformers, type Performers } from "./registry.ts";

const greet: NodePlugin = {
  type: "greet",
  class: "deterministic",
  fields: { whom: { type: { kind: "string" }, required: true, description: "Who is greeted" } },
  missing: (node) => (node.fields["whom"] === "nobody" ? "there is nobody to greet" : null),
  perform: async ({ node }) => ({ outcome: "success", value: ["hello", node.fields["whom"] ?? null] }),
};
const greeting = definePlugin({ name: "greetings", nodes: [greet] });

function performers(plugins: readonly Plugin[] = []): Performers {
  const made = createPerformers({ redactor: createRedactor(), clock: systemClock, handed: [], plugins });
  if ("problems" in made) throw new Error(made.problems.join("\n"));
  return made;
}

const types: readonly NodeType[] = [
  "agent",
  "tool",
  "script",
  "human",
  "provision",
  "checkout",
  "exec",
  "agent_sandbox",
  "code",
  "wait",
  "call",
  "map",
  "decide",
  "plugin",
];

test("every node type of the language has a performer of its own type", () => {
  const all = performers();
  expect([...all.keys()].toSorted()).toEqual(types.toSorted());
  for (const [type, performer] of all) expect(performer.type).toBe(type);
});

test("what is not available is said before a run, and is an error without effect if it gets that far", async () => {
  const bench = new NodeBench();
  const node: Node = { id: "box", type: "exec", container: reference("p"), run: "true" };
  const exec = performers().get("exec");
  expect(exec?.missing(node, bench.can, bench.context(node).blueprint)).toBe(
    "this process was set up without sandboxes",
  );
  expect(await exec?.perform(bench.context(node))).toMatchObject({ outcome: "error", beforeEffect: true });
  bench.close();
});

test("a performer that is handed in takes the place of the one of its type", () => {
  const made = createPerformers({
    redactor: createRedactor(),
    clock: systemClock,
    handed: [
      { type: "provision", class: "deterministic", missing: () => null, perform: async () => ({ outcome: "success" }) },
    ],
    plugins: [],
  });
  const bench = new NodeBench();
  const node: Node = { id: "w", type: "provision", image: "host" };
  expect(
    "problems" in made ? made : made.get("provision")?.missing(node, bench.can, bench.context(node).blueprint),
  ).toBeNull();
  bench.close();
});

test("a plug-in's node is performed by its plug-in", async () => {
  const bench = new NodeBench();
  const plugin = performers([greeting]).get("plugin");
  const node = (whom: string, type = "greet"): Node => ({ id: "g", type: "plugin", plugin: type, fields: { whom } });
  const missing = (one: Node): string | null | undefined =>
    plugin?.missing(one, bench.can, bench.context(one).blueprint);
  expect(missing(node("you"))).toBeNull();
  expect(missing(node("nobody"))).toBe("there is nobody to greet");
  expect(missing(node("you", "wave"))).toBe('no plug-in brings the node type "wave"');
  expect(await plugin?.perform(bench.context(node("you")))).toEqual({ outcome: "success", value: ["hello", "you"] });
  bench.close();
});

test("a node type that is built in, or there twice, is a problem", () => {
  const shadow: Plugin = { name: "shadow", nodes: [{ ...greet, type: "script" }] };
  expect(
    createPerformers({
      redactor: createRedactor(),
      clock: systemClock,
      handed: [],
      plugins: [greeting, shadow, { ...greeting, name: "again" }],
    }),
  ).toEqual({
    problems: [
      "plug-in shadow: the node type script is built in; give yours another name",
      "plug-in again: the node type greet is already that of plug-in greetings",
    ],
  });
});
