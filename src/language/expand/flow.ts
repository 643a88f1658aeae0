import type { Range } from "../../model/diagnostic.ts";
import { isEnd } from "./edges.ts";
import { limits } from "../../model/limits.ts";
import type { LocatedEdge } from "../source.ts";

/** A name in a flow. A name that occurs again gets its own id: `test`, `test#2`. */
export interface FlowNode {
  readonly id: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Steps of a flow: one node, nodes side by side, or a bracket that runs when the step before it fails. */
export interface FlowStep {
  readonly bracket: boolean;
  readonly nodes: readonly FlowNode[];
  readonly start: number;
  readonly end: number;
}

export interface FlowProblem {
  readonly code: "flow-syntax" | "flow-bracket";
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

export type Flow = { readonly steps: readonly FlowStep[] } | { readonly problem: FlowProblem };

const example = "git-branch -> implement -> lint -> [fix-lint] -> (test & type-check) -> create-pr";

/** Parses `a -> (b & c) -> [d] -> e`; `→` is the same as `->`. Offsets are those of the text. */
export function parseFlow(text: string): Flow {
  return new FlowParser(text).parse();
}

type Token = {
  readonly kind: "name" | "arrow" | "[" | "]" | "(" | ")" | "&" | "end" | "bad";
  readonly start: number;
  readonly end: number;
};

class FlowParser {
  readonly #text: string;
  readonly #pattern = /\s*(?:(->|→)|([[\]()&])|([A-Za-z0-9_-]+?)(?=->|→|[^A-Za-z0-9_-]|$)|(\S))/gy;
  readonly #uses = new Map<string, number>();
  #token: Token;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#scan();
  }

  parse(): Flow {
    const steps: FlowStep[] = [];
    for (;;) {
      const step = this.#step(steps.at(-1));
      if ("problem" in step) return step;
      const [name] = step.nodes;
      if (!step.bracket && steps.length > 0 && name !== undefined && isEnd(name.name)) return this.#closed(steps);
      steps.push(step);
      if (this.#token.kind === "end") return { steps };
      if (this.#token.kind !== "arrow") return this.#fail("an arrow (`->` or `→`) or the end");
      this.#next();
    }
  }

  /** A flow may say that it ends. */
  #closed(steps: readonly FlowStep[]): Flow {
    return this.#is("end") ? { steps } : this.#fail("the end: END closes the flow");
  }

  #step(before: FlowStep | undefined): FlowStep | { readonly problem: FlowProblem } {
    const open = this.#token;
    if (open.kind === "name") return this.#single(false, open.start);
    if (open.kind === "(") return this.#group(open.start);
    if (open.kind !== "[") return this.#fail("a node, a group `(a & b)` or a bracket `[a]`");
    this.#next();
    if (this.#token.kind !== "name") return this.#fail("the name of one node");
    const step = this.#single(true, open.start);
    if (!this.#is("]")) return this.#fail("`]`: a bracket holds one node");
    const closed = { ...step, end: this.#token.end };
    this.#next();
    if (before === undefined)
      return bracketProblem(closed, "A flow cannot begin with a bracket: it runs when the check before it fails");
    if (before.bracket)
      return bracketProblem(closed, "Two brackets in a row: the second has no check of its own before it");
    return closed;
  }

  #single(bracket: boolean, start: number): FlowStep {
    const node = this.#name();
    return { bracket, nodes: [node], start, end: node.end };
  }

  #group(start: number): FlowStep | { readonly problem: FlowProblem } {
    const nodes: FlowNode[] = [];
    do {
      this.#next();
      if (this.#token.kind !== "name") return this.#fail("the name of a node");
      nodes.push(this.#name());
    } while (this.#is("&"));
    if (!this.#is(")")) return this.#fail("`&` or `)`");
    const end = this.#token.end;
    this.#next();
    return { bracket: false, nodes, start, end };
  }

  #name(): FlowNode {
    const { start, end } = this.#token;
    const name = this.#text.slice(start, end);
    const use = (this.#uses.get(name) ?? 0) + 1;
    this.#uses.set(name, use);
    this.#next();
    return { id: use === 1 ? name : `${name}#${use}`, name, start, end };
  }

  #is(kind: Token["kind"]): boolean {
    return this.#token.kind === kind;
  }

  #next(): void {
    this.#token = this.#scan();
  }

  #scan(): Token {
    const match = this.#pattern.exec(this.#text);
    if (match === null) return { kind: "end", start: this.#text.length, end: this.#text.length };
    const [, arrow, sign, name, bad] = match;
    const end = this.#pattern.lastIndex;
    const start = end - (arrow ?? sign ?? name ?? bad ?? "").length;
    if (arrow !== undefined) return { kind: "arrow", start, end };
    if (name !== undefined) return { kind: "name", start, end };
    return { kind: sign === undefined ? "bad" : (sign as "[" | "]" | "(" | ")" | "&"), start, end };
  }

  #fail(expected: string): { readonly problem: FlowProblem } {
    const { kind, start, end } = this.#token;
    const found = kind === "end" ? "the flow ends" : `found \`${this.#text.slice(start, end)}\``;
    return {
      problem: {
        code: "flow-syntax",
        start,
        end,
        message: `Expected ${expected}, but ${found}`,
        hint: `For example: flow: ${example}`,
      },
    };
  }
}

function bracketProblem(step: FlowStep, message: string): { readonly problem: FlowProblem } {
  const hint = "Put the bracket right after a deterministic check: lint -> [fix-lint] -> test";
  return { problem: { code: "flow-bracket", start: step.start, end: step.end, message, hint } };
}

/**
 * Edges of a flow. An arrow is a `success` edge. A bracket is entered from each node of the step
 * before it when that fails, and leads back to all of them; what follows the bracket follows
 * that step. Stops one past the most edges a blueprint may have.
 */
export function flowEdges(steps: readonly FlowStep[], at: (node: FlowNode) => Range): LocatedEdge[] {
  const edges: LocatedEdge[] = [];
  const connect = (from: FlowNode, to: FlowNode, when: "success" | "failure"): void => {
    edges.push({ edge: { from: from.id, to: to.id, when }, from: at(from), to: at(to), when: at(from) });
  };
  let before: readonly FlowNode[] = [];
  for (const step of steps) {
    for (const from of before) {
      for (const to of step.nodes) {
        if (edges.length > limits.edgesPerBlueprint) return edges;
        connect(from, to, step.bracket ? "failure" : "success");
        if (step.bracket) connect(to, from, "success");
      }
    }
    if (!step.bracket) before = step.nodes;
  }
  return edges;
}
