import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { ParsedNode, Scalar, YAMLMap } from "yaml";
import type { Range } from "../model/diagnostic.ts";
import { limits } from "../model/limits.ts";
import type { Report } from "./codes.ts";
import { problem } from "./codes.ts";
import type { Located, LocatedEntry, LocatedMap, LocatedScalar } from "./tree.ts";
import { quote } from "./tree.ts";
import { isOfIndentation, toldOf } from "./yaml-faults.ts";
import { parseText, splitHint } from "./yaml-text.ts";

/** The tree of a document; of one with a fault of syntax only what stands before it, as far as that is sure. */
export interface ReadTree {
  readonly root: Located;
  readonly isWhole: boolean;
}

/**
 * Reads one YAML 1.2 document into a located tree. Reports every problem; null when there is no tree worth looking at.
 * Size, depth and aliases are bounded before anything recurses.
 */
export function readYaml(text: string, report: Report): Located | null {
  const read = readTree(text, report);
  return read?.isWhole === true ? read.root : null;
}

/** As {@link readYaml}, with what stands before a fault. */
export function readTree(text: string, report: Report): ReadTree | null {
  if (text.length > limits.documentBytes) {
    const message = `The file is larger than ${limits.documentBytes} characters`;
    report(problem("document-too-large", { start: 0, end: 1 }, message, splitHint));
    return null;
  }
  const composed = parseText(text, report);
  if (composed === null) return null;
  const { documents, faults } = composed;
  const [first, second] = documents;
  let firstFault = Infinity;
  for (const told of toldOf(faults, text)) {
    if (told.severity === "error") firstFault = Math.min(firstFault, told.range.start);
    report(told);
  }
  if (firstFault < Infinity) {
    if (second !== undefined || !isMap(first?.contents) || faults.some(isOfIndentation)) return null;
    const root = new Locator(text, report).before(first.contents, firstFault);
    return root === null ? null : { root, isWhole: false };
  }
  if (second !== undefined) {
    const at = second.range[0];
    report(
      problem(
        "multiple-documents",
        { start: at, end: at + 1 },
        "A second document begins here; a file holds one",
        "Move it to a file of its own.",
      ),
    );
    return null;
  }
  if (first === undefined || first.contents === null || isBlank(first.contents)) {
    const hint = "A blueprint has at least `name:` and `nodes:`.";
    report(problem("empty-document", { start: 0, end: 0 }, "The file holds no document", hint));
    return null;
  }
  const root = new Locator(text, report).document(first.contents);
  return root === null ? null : { root, isWhole: true };
}

function isBlank(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null && node.range[0] === node.range[1];
}

/** Turns the library's nodes into the located tree. */
class Locator {
  readonly #text: string;
  readonly #report: Report;
  readonly #anchors = new Map<string, { readonly node: Located; readonly size: number }>();
  #aliases = 0;
  #size = 0;
  #failed = false;
  #overflow = false;

  constructor(text: string, report: Report) {
    this.#text = text;
    this.#report = report;
  }

  document(contents: ParsedNode): Located | null {
    const tree = this.#locate(contents, null);
    return this.#failed ? null : tree;
  }

  /**
   * Entries of the document, and of `nodes` where the fault lies in it, after which another one begins on a line before
   * that of the fault: these mean what they would if the rest were right.
   */
  before(contents: YAMLMap.Parsed, fault: number): LocatedMap | null {
    const line = this.#text.lastIndexOf("\n", fault - 1) + 1;
    // A key of no width is said to stand where the text before it ended.
    const isBefore = ({ range: [start, end] }: ParsedNode): boolean => start < end && start < line;
    const known = (map: YAMLMap.Parsed): YAMLMap.Parsed["items"] =>
      map.items.slice(0, Math.max(0, map.items.filter(({ key }) => isBefore(key)).length - 1));
    const whole = known(contents);
    const entries = this.#entries(whole);
    const torn = contents.items[whole.length];
    if (isScalar(torn?.key) && torn.key.source === "nodes" && isMap(torn.value)) {
      const range = { start: torn.value.range[0], end: fault };
      const nodes = this.#entries(known(torn.value));
      entries.push({
        key: this.#key(torn.key),
        value: { kind: "map", range, flow: torn.value.flow === true, entries: nodes },
      });
    }
    const range = { start: contents.range[0], end: fault };
    return this.#failed ? null : { kind: "map", range, flow: contents.flow === true, entries };
  }

  #locate(node: ParsedNode, key: LocatedScalar | null): Located {
    const before = this.#size;
    const located = this.#convert(node, key);
    this.#size += 1;
    if (!isAlias(node) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, { node: located, size: this.#size - before });
    return located;
  }

  #convert(node: ParsedNode, key: LocatedScalar | null): Located {
    if (isScalar(node)) return this.#scalar(node, key);
    const range = { start: node.range[0], end: node.range[1] };
    if (isAlias(node)) return this.#alias(node.source, range);
    if (isSeq(node)) return { kind: "list", range, items: node.items.map((item) => this.#locate(asNode(item), null)) };
    return { kind: "map", range, flow: node.flow === true, entries: this.#entries(node.items) };
  }

  #entries(items: readonly { key: unknown; value?: unknown }[]): LocatedEntry[] {
    const seen = new Map<string, LocatedScalar>();
    const entries: LocatedEntry[] = [];
    for (const item of items) {
      const key = this.#key(asNode(item.key));
      const value =
        item.value === null || item.value === undefined ? absent(key) : this.#locate(asNode(item.value), key);
      const first = seen.get(key.source);
      if (first === undefined) {
        seen.set(key.source, key);
        entries.push({ key, value });
        continue;
      }
      const related = [{ range: first.range, message: "first given here" }];
      const message = `The key ${quote(key.source)} occurs twice in this map`;
      this.#report(problem("duplicate-key", key.range, message, "Remove or rename one of the two.", related));
    }
    return entries;
  }

  #key(node: ParsedNode): LocatedScalar {
    const located = this.#locate(node, null);
    if (located.kind === "scalar") return located;
    const { start, end } = located.range;
    this.#report(
      problem(
        "wrong-type",
        located.range,
        "A key must be a plain name, not a list or map",
        "Quote the key if it is meant as text.",
      ),
    );
    return { kind: "scalar", range: located.range, value: "", source: this.#text.slice(start, end), style: "plain" };
  }

  #scalar(node: Scalar.Parsed, key: LocatedScalar | null): LocatedScalar {
    const [start, end] = node.range;
    // An empty value has no width of its own; a problem with it is shown at its key.
    const range = start === end && key !== null ? key.range : { start, end };
    const source = node.source ?? "";
    return {
      kind: "scalar",
      range,
      value: plainValue(node.value, source),
      source,
      style: styles[node.type ?? "PLAIN"],
    };
  }

  #alias(name: string, range: Range): Located {
    const target = this.#anchors.get(name);
    this.#aliases += 1;
    if (target === undefined) {
      this.#failed = true;
      this.#report(
        problem(
          "syntax",
          range,
          `The alias \`*${name}\` has no anchor \`&${name}\` before it`,
          `To write the text \`*${name}\`, put it into quotes; an alias repeats a value that stands earlier.`,
        ),
      );
      return { kind: "scalar", range, value: null, source: "", style: "plain" };
    }
    this.#size += target.size;
    const tooMany = this.#aliases > limits.documentAliases || this.#size > limits.documentNodes;
    if (tooMany && !this.#overflow) {
      this.#overflow = true;
      this.#failed = true;
      this.#report(
        problem(
          "alias-bomb",
          range,
          `With this alias the document expands to more than ${limits.documentNodes} values`,
          "Write out what differs, or call another blueprint for what repeats.",
        ),
      );
    }
    return target.node;
  }
}

/** Tags can make values that JSON does not have; these count as the text they were written as. */
function plainValue(value: unknown, source: string): LocatedScalar["value"] {
  const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
  return known ? value : source;
}

const styles = {
  PLAIN: "plain",
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "block",
  BLOCK_FOLDED: "block",
} as const;

function absent(key: LocatedScalar): LocatedScalar {
  return { kind: "scalar", range: key.range, value: null, source: "", style: "plain" };
}

/** Pairs hold `unknown` in the library's types; a parsed document puts nothing but parsed nodes there. */
function asNode(value: unknown): ParsedNode {
  return value as ParsedNode;
}
