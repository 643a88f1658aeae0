/**
 * A reference as written between braces: `{node}`, `{node.port}`,
 * `{node.port.a.0}`, `{task}`, `{inputs.name}`, `{item}`, `{index}`.
 */
export interface Reference {
  /** `node` covers every port of a node; the others are the reserved sources. */
  readonly source: "task" | "inputs" | "item" | "index" | "node";
  /** Node id, or input name; empty for task, item, index. */
  readonly name: string;
  /** Port and further JSON path; empty means the value itself (`{node}` = what the node said). */
  readonly path: readonly string[];
  /** Offsets inside the template text. */
  readonly start: number;
  readonly end: number;
}

export type TemplatePart = { readonly text: string } | { readonly ref: Reference };

/**
 * Text with references, parsed once. Substitution is single-pass: a value put in is never scanned again.
 * A template made of exactly one reference keeps the type of its value.
 */
export interface Template {
  readonly source: string;
  readonly parts: readonly TemplatePart[];
}
