import type { Range } from "../../model/diagnostic.ts";
import type { MapBody } from "../../model/node.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { Template } from "../../model/template.ts";
import type { Code, Report } from "../codes.ts";
import { problem } from "../codes.ts";
import { Suggestions } from "../nearest.ts";
import type { Located, LocatedScalar } from "../tree.ts";
import { describe } from "../tree.ts";

/** A template that holds a reference or a brace, and where it stands. */
export interface LocatedTemplate {
  readonly template: Template;
  readonly scalar: LocatedScalar;
  readonly field: string;
  /** The node it belongs to; undefined at the top level. */
  readonly node: string | undefined;
  /** It stands in the body of that node, a map, whose own rules look after it. */
  readonly inside?: true;
}

/** Names, which may be those of several graphs inside one another. */
export type Names = Pick<ReadonlySet<string>, "has">;

/** What readers share while one document is read. */
export class Reading {
  templates: LocatedTemplate[] = [];
  /** How many references the document may still have. */
  referencesLeft: number = limits.referencesPerDocument;
  /** What may still be spent on matching defaults against their patterns. */
  readonly patternBudget = { steps: limits.patternDefaultSteps };
  /** Names under `nodes`, known before any node is read. */
  nodeNames: Names = new Set();
  /** False once an edge could not be read, so that what is left says nothing about paths. */
  graphIsWhole = true;
  /** The node that is being read. */
  node: string | undefined;
  /** Who owns the fields being read, for messages: "script node `a`". */
  owner = "the document";
  readonly #report: Report;
  /** Reads what a map does with each item; given by whoever reads documents. */
  readBody: (at: Located, field: string) => MapBody | undefined = () => undefined;
  /** What else in the language has a field of this name, e.g. node types. */
  whoHas: (field: string) => readonly string[] = () => [];
  /** What a node without a type may be laid over by its name; given by whoever reads documents. */
  stockNames: () => Iterable<string> = () => [];
  readonly #suggestions = new Suggestions();
  /** "; did you mean `x`?" or nothing. */
  readonly suggest = this.#suggestions.suggest;
  readonly nearest = this.#suggestions.nearest;

  constructor(report: Report) {
    this.#report = report;
  }

  /** False when the document silences it. */
  problem(code: Code, at: Located | Range, message: string, hint?: string): boolean {
    return this.#report(problem(code, "range" in at ? at.range : at, message, hint));
  }

  /** "`run` of script node `a`". */
  place(field: string): string {
    return `\`${field}\` of ${this.owner}`;
  }

  wrongType(node: Located, field: string, expected: string, hint?: string): undefined {
    this.problem("wrong-type", node, `${this.place(field)} must be ${expected}, not ${describe(node)}`, hint);
    return undefined;
  }
}

/** Reads one kind of value. The same definition yields the editor schema. */
export interface Reader<T> {
  /** To stand after "must be". */
  readonly expected: string;
  /** JSON Schema (draft-07) of what it accepts. */
  readonly schema: JsonSchema;
  /** The value, or undefined after it has reported why there is none. */
  read(node: Located, reading: Reading, field: string): T | undefined;
  /** How the value is written, so that reading it gives the same again. */
  write(value: T): Json;
}

export interface JsonSchema {
  readonly [key: string]: unknown;
}
