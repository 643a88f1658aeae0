import { characterStart } from "./processes/characters.ts";
import type { Json } from "../model/json.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { Reference, Template } from "../model/template.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Values } from "../ports/performer.ts";
import type { Mask } from "./text.ts";
import { wholeText } from "./whole-text.ts";

/** What the references of a run can reach: its task, its inputs, and the latest recorded result of each node. */
export interface Known {
  readonly task: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly results: Pick<ReadonlyMap<string, NodeResult>, "get">;
  /** In a map: its item, and what is around it. */
  readonly outer?: Outer;
}

export interface Outer {
  readonly item: Json;
  readonly index: number;
  readonly values: Values;
  /** Names that mean a node of the body. */
  readonly own: ReadonlyMap<string, unknown>;
}

/** A captured text is resolved only where it is used: it may be far larger than what uses it. */
type Found =
  | { readonly json: Json }
  | { readonly captured: CapturedText }
  | { readonly around: Template; readonly values: Values };

type Use = "text" | "typed";

const nothing: Found = { json: null };

/** Values of a run, filled into templates in a single pass: what is put in is never looked at again. */
export class RunValues implements Values {
  readonly #known: Known;
  readonly #blobs: BlobStore;
  readonly #mask: Mask;

  /** `mask` is for values that are cut: part of a secret cannot be told any more, and the whole is kept as a blob. */
  constructor(known: Known, blobs: BlobStore, mask: Mask = (text) => text) {
    this.#known = known;
    this.#blobs = blobs;
    this.#mask = mask;
  }

  text(template: Template, maxBytes: number): Promise<string> {
    return this.#fill(template, (found) => this.#bounded(found, maxBytes));
  }

  whole(template: Template): Promise<string> {
    return this.#fill(template, (found) => this.#full(found));
  }

  async value(template: Template): Promise<Json> {
    const [only, ...others] = template.parts;
    if (only === undefined || others.length > 0 || !("ref" in only)) return this.whole(template);
    const found = this.#find(only.ref, "typed");
    if ("around" in found) return found.values.value(found.around);
    return "json" in found ? found.json : this.#full(found);
  }

  async #fill(template: Template, textOf: (found: Found) => Promise<string>): Promise<string> {
    let text = "";
    for (const part of template.parts) text += "ref" in part ? await textOf(this.#find(part.ref, "text")) : part.text;
    return text;
  }

  #find(ref: Reference, use: Use): Found {
    switch (ref.source) {
      case "task":
        return { json: this.#known.task };
      case "inputs":
        return { json: walk(own(this.#known.inputs, ref.name), ref.path) };
      case "node": {
        const { outer } = this.#known;
        if (outer !== undefined && !outer.own.has(ref.name))
          return { around: { source: "", parts: [{ ref }] }, values: outer.values };
        return ofNode(this.#known.results.get(ref.name), ref.path, use);
      }
      case "item":
        return { json: walk(this.#known.outer?.item, ref.path) };
      case "index":
        return { json: this.#known.outer?.index ?? null };
    }
  }

  async #full(found: Found): Promise<string> {
    if ("json" in found) return textOfJson(found.json);
    if ("around" in found) return found.values.whole(found.around);
    return wholeText(found.captured, this.#blobs);
  }

  async #bounded(found: Found, maxBytes: number): Promise<string> {
    if ("captured" in found && found.captured.blob === undefined && found.captured.text.length * 3 <= maxBytes)
      return found.captured.text;
    if ("around" in found) return found.values.text(found.around, maxBytes);
    const full = await this.#full(found);
    if (Buffer.byteLength(full) <= maxBytes) return full;
    const bytes = Buffer.from(this.#mask(full));
    if (bytes.length <= maxBytes) return bytes.toString();
    const blob = ("captured" in found ? found.captured.blob : undefined) ?? (await this.#blobs.put(bytes));
    const start = characterStart(bytes, bytes.length - maxBytes);
    return `[the first ${start} bytes are left out; the full text is in ${this.#blobs.pathOf(blob)}]\n${bytes.toString("utf8", start)}`;
  }
}

function ofNode(result: NodeResult | undefined, path: readonly string[], use: Use): Found {
  if (result === undefined) return nothing;
  const [port, ...rest] = path;
  switch (port) {
    case undefined:
      return said(result, use);
    case "stdout":
      return captured(result.stdout ?? result.output);
    case "stderr":
      // Left out where it is the output itself: then stdout is not.
      return captured(result.stderr ?? (result.stdout === undefined ? undefined : result.output));
    case "exit":
      return { json: result.exit ?? null };
  }
  const named = own(result.ports ?? {}, port);
  return { json: named === undefined ? walk(result.value, path) : walk(named, rest) };
}

/** In text, what it said; alone, the value it was parsed to. */
function said(result: NodeResult, use: Use): Found {
  if (result.value !== undefined && (use === "typed" || result.output === undefined)) return { json: result.value };
  return result.output === undefined ? { json: result.option ?? null } : captured(result.output);
}

function captured(text: CapturedText | undefined): Found {
  return text === undefined ? nothing : { captured: text };
}

function walk(value: Json | undefined, path: readonly string[]): Json {
  let at: Json | undefined = value;
  for (const key of path) at = at === null || typeof at !== "object" ? undefined : own(at, key);
  return at ?? null;
}

/** Never what a prototype has, and of a list only its items. */
function own(of: object, key: string): Json | undefined {
  if (Array.isArray(of) && !/^\d+$/.test(key)) return undefined;
  // An object that came out of JSON holds JSON.
  return Object.hasOwn(of, key) ? (of as Readonly<Record<string, Json>>)[key] : undefined;
}

/** Absent values are empty text; a list or an object is its JSON. */
export function textOfJson(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
