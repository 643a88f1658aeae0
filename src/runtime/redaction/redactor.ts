import type { Json, JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { formsOf } from "./forms.ts";
import { compileForms, type Masker, passThrough, type Patterns, StreamMasker } from "./masker.ts";

/**
 * The one boundary at which known secret values become `***`: everything captured from outside passes it before
 * log, journal, screen or the next node see it. Masking what is masked changes nothing.
 */
export interface Redactor {
  /**
   * From now on this value is masked. False where it is too short to be (under
   * 4 characters): say so where it is configured.
   */
  add(value: string): boolean;
  /** For one stream, with the secrets known now. */
  stream(): Masker;
  text(text: string): string;
  /** Strings, keys and numbers inside; the shape stays. */
  json(value: Json): Json;
  record(values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>>;
}

export function createRedactor(values: Iterable<string> = []): Redactor {
  const secrets = new Set<string>();
  let compiled: Patterns | null = null;
  const add = (value: string): boolean => {
    if (value.trim().length < limits.secretMinCharacters) return false;
    if (!secrets.has(value)) compiled = null;
    secrets.add(value);
    return true;
  };
  const stream = (): Masker => {
    if (secrets.size === 0) return passThrough;
    compiled ??= compileForms([...secrets].map(formsOf));
    return new StreamMasker(compiled);
  };
  const text = (plain: string): string => {
    if (secrets.size === 0 || plain === "") return plain;
    const masker = stream();
    return Buffer.concat([masker.write(Buffer.from(plain)), masker.end()]).toString();
  };
  for (const value of values) add(value);
  return {
    add,
    stream,
    text,
    json: (value) => (secrets.size === 0 ? value : maskJson(value, text)),
    record: (values) => (secrets.size === 0 ? values : maskRecord(values, text)),
  };
}

function maskJson(value: Json, text: (plain: string) => string): Json {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return text(String(value)) === String(value) ? value : text(String(value));
  if (value === null || typeof value === "boolean") return value;
  // Array.isArray does not narrow a readonly array.
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => maskJson(item, text));
  // What is neither null, nor a list, nor plain is an object.
  return maskRecord(value as JsonObject, text);
}

function maskRecord(values: JsonObject, text: (plain: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, item]) => [text(key), maskJson(item, text)]));
}
