import type { Node } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import { around, withoutItems } from "./catalog.ts";
import type { NodeScript, Said, TestCase } from "./file.ts";

/** What a test says of an attempt: an outcome, that it is carried out as in any run, or nothing. */
export type Line = Said | "real" | "unsaid";

/** What a test says of each node, by its path. */
export class Script {
  readonly #nodes: ReadonlyMap<string, NodeScript>;
  readonly #real: ReadonlySet<string>;
  readonly #hasCassettes: boolean;
  readonly #repeats: boolean;

  /** With `repeats` the last attempt of a pass stands for those that a crash adds. */
  constructor({ nodes = [], run = [], cassettes }: TestCase, repeats = false) {
    this.#repeats = repeats;
    this.#nodes = new Map(nodes.map(({ name, value }) => [name, value]));
    this.#real = new Set(run.map(({ value }) => value));
    this.#hasCassettes = cassettes !== undefined;
  }

  lineOf(path: string, node: Node, { pass, attempt }: Attempt): Line {
    const script = this.#scriptOf(path, node);
    if (script === undefined) return this.#isReal(path, node) ? "real" : "unsaid";
    const attempts = "each" in script ? script.each : script.passes[pass - 1];
    const last = attempts?.length === 1 || this.#repeats ? attempts?.at(-1) : undefined;
    return (attempts?.[attempt - 1] ?? last)?.value ?? "unsaid";
  }

  /** Whether a node is carried out by what carries it out in any run. */
  isReal(path: string, node: Node): boolean {
    return this.#isReal(path, node) && around(path).every((one) => !this.#nodes.has(one));
  }

  #isReal(path: string, node: Node): boolean {
    const all = withoutItems(path);
    if (this.#nodes.has(path) || this.#nodes.has(all)) return false;
    return this.#real.has(all) || goesByItself.has(node.type) || (node.type === "agent" && this.#hasCassettes);
  }

  #scriptOf(path: string, node: Node): NodeScript | undefined {
    const own = this.#nodes.get(path) ?? this.#nodes.get(withoutItems(path));
    return own ?? (this.#isReal(path, node) ? undefined : this.#nodes.get("*"));
  }
}

/** Time, people, and what only holds other nodes. */
const goesByItself: ReadonlySet<Node["type"]> = new Set<Node["type"]>(["wait", "human", "call", "map"]);
