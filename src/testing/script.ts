import type { Node } from "../model/blueprint.ts";
import type { Attempt } from "../model/events.ts";
import { around, withoutItems } from "./catalog.ts";
import type { NodeScript, Said, TestCase } from "./file.ts";

/** What a test says of an attempt: an outcome, nothing at all, or too little. */
export type Line = Said | "real" | "beyond";

/** What a test says of each node, by its path. */
export class Script {
  readonly #nodes: ReadonlyMap<string, NodeScript>;
  readonly #real: ReadonlySet<string>;
  readonly #hasCassettes: boolean;

  constructor({ nodes = [], run = [], cassettes }: TestCase) {
    this.#nodes = new Map(nodes.map(({ name, value }) => [name, value]));
    this.#real = new Set(run.map(({ value }) => value));
    this.#hasCassettes = cassettes !== undefined;
  }

  lineOf(path: string, node: Node, { pass, attempt }: Attempt): Line {
    const script = this.#scriptOf(path, node);
    if (script === undefined) return "real";
    const attempts = "each" in script ? script.each : script.passes[pass - 1];
    if (attempts === undefined) return "beyond";
    return (attempts.length === 1 ? attempts[0] : attempts[attempt - 1])?.value ?? "beyond";
  }

  /** Whether a node is ever carried out by what carries it out in a run. */
  isReal(path: string, node: Node): boolean {
    return this.#scriptOf(path, node) === undefined && around(path).every((one) => !this.#nodes.has(one));
  }

  #scriptOf(path: string, node: Node): NodeScript | undefined {
    const all = withoutItems(path);
    const own = this.#nodes.get(path) ?? this.#nodes.get(all);
    if (own !== undefined) return own;
    const real = this.#real.has(all) || goesByItself.has(node.type) || (node.type === "agent" && this.#hasCassettes);
    return real ? undefined : this.#nodes.get("*");
  }
}

/** What `*` does not stand for: time, people, and what only holds other nodes. */
const goesByItself: ReadonlySet<Node["type"]> = new Set<Node["type"]>(["wait", "human", "call", "map"]);
