import { limits } from "../../model/limits.ts";
import type { Json } from "../../model/json.ts";
import { adviceOn, meaningOf } from "../elsewhere.ts";
import { didYouMean, oneOfWords } from "../nearest.ts";
import type { LocatedEntry, LocatedMap } from "../tree.ts";
import type { JsonSchema, Reader, Reading } from "./reading.ts";

/** One field of a closed map. `as` is its name in the model where that differs. */
export interface Field<T = unknown, R extends boolean = boolean, A extends string = string> {
  readonly reader: Reader<T>;
  readonly required: R;
  readonly description: string;
  readonly as: A | undefined;
}

export function required<T>(reader: Reader<T>, description: string): Field<T, true, never> {
  return { reader, required: true, description, as: undefined };
}

export function optional<T>(reader: Reader<T>, description: string): Field<T, false, never>;
export function optional<T, const A extends string>(reader: Reader<T>, description: string, as: A): Field<T, false, A>;
export function optional<T>(reader: Reader<T>, description: string, as?: string): Field<T, false, string> {
  return { reader, required: false, description, as };
}

export type Fields = Readonly<Record<string, Field>>;

type NameOf<F extends Fields, K extends keyof F> =
  F[K] extends Field<unknown, boolean, infer A> ? ([A] extends [never] ? K : A) : K;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type ValueOf<F> = F extends Field<infer T> ? T : never;

/** What a table of fields reads to: absent fields are absent, never undefined. */
export type Read<F extends Fields> = {
  readonly [K in RequiredKeys<F> as NameOf<F, K> & string]: ValueOf<F[K]>;
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>> as NameOf<F, K> & string]?: ValueOf<F[K]> };

/** A map read by its table: every field, or those that could be read. */
export type Part<F extends Fields> =
  | { readonly whole: true; readonly values: Read<F> }
  | {
      readonly whole: false;
      readonly values: Partial<Read<F>>;
      /** Model names of fields that are written, well or misspelt, but could not be read. */
      readonly refused: ReadonlySet<string>;
    };

/** Reads a closed map by its table: an unknown key, a missing one and each bad value is a problem of its own. */
export function readFields<F extends Fields>(
  map: LocatedMap,
  fields: F,
  reading: Reading,
  besides: readonly string[] = [],
): Read<F> | undefined {
  const part = readPart(map, fields, reading, besides);
  return part.whole ? part.values : undefined;
}

/**
 * As {@link readFields}, with what could be read when something could not. A
 * misspelt field is one problem, not also an absent one.
 */
export function readPart<F extends Fields>(
  map: LocatedMap,
  fields: F,
  reading: Reading,
  besides: readonly string[] = [],
): Part<F> {
  const values: Record<string, unknown> = {};
  const refused = new Set<string>();
  let whole = true;
  for (const entry of map.entries) {
    const key = entry.key.source;
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) {
      const value = field.reader.read(entry.value, reading, key);
      if (value === undefined) refused.add(field.as ?? key);
      else values[field.as ?? key] = value;
    } else if (!besides.includes(key)) {
      const meant = unknownField(entry, [...besides, ...Object.keys(fields)], reading);
      if (meant !== undefined) refused.add(fields[meant]?.as ?? meant);
    }
  }
  for (const key in fields) {
    const field = fields[key];
    if (field?.required !== true || map.entries.some((entry) => entry.key.source === key)) continue;
    whole = false;
    if (refused.has(field.as ?? key)) continue;
    const hint = `Add \`${key}:\` (${lowerFirst(field.description)}).`;
    reading.problem("missing-field", headOf(map), `${capital(reading.owner)} has no \`${key}\``, hint);
  }
  // Every key comes from the table and, when it is whole, every required one was there.
  if (whole && refused.size === 0) return { whole: true, values: values as Read<F> };
  return { whole: false, values: values as Partial<Read<F>>, refused };
}

/**
 * Reports a field that does not exist here; the field that was most likely
 * meant, unless the document silences the problem.
 */
export function unknownField(entry: LocatedEntry, known: readonly string[], reading: Reading): string | undefined {
  const key = entry.key.source;
  const merge =
    key === "<<"
      ? "Merge keys are not part of YAML 1.2; repeat the fields or use an alias for a whole value."
      : undefined;
  const meaning = meaningOf(key, new Set(known));
  const advice =
    meaning === undefined ? adviceOn(key, reading.owner === "the document" ? "document" : "node") : undefined;
  if (advice?.isPath === true) reading.graphIsWhole = false;
  const others = meaning === undefined && advice === undefined ? reading.whoHas(key) : [];
  const meant = meaning ?? (others.length === 0 && advice === undefined ? reading.nearest(key, known) : undefined);
  const near = others.length === 0 ? didYouMean(meant) : `; ${others.join(" and ")} nodes have it`;
  const message = `\`${key}\` is no field of ${reading.owner}${near}`;
  const instead = meaning === undefined ? undefined : `Write \`${meaning}:\` instead.`;
  const all = `It has: ${oneOfWords([...known].sort(), limits.fieldsNamed).replace(/ or (?=[^,]*$)/, " and ")}.`;
  const told = reading.problem("unknown-field", entry.key, message, merge ?? advice?.hint ?? instead ?? all);
  return told ? meant : undefined;
}

/** A problem with a whole map is shown at its first key: the map itself may be long. */
function headOf(map: LocatedMap): { readonly start: number; readonly end: number } {
  return map.entries[0]?.key.range ?? map.range;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** A closed map as a value. `owner` names it in messages; `%` in it stands for the name of the field. */
export function object<F extends Fields>(fields: F, owner: string): Reader<Read<F>> {
  return {
    expected: "a map",
    schema: objectSchema(fields),
    read(node, reading, field) {
      if (node.kind !== "map") return reading.wrongType(node, field, "a map");
      const before = reading.owner;
      reading.owner = owner.replace("%", field.split(".").at(-1) ?? field);
      const result = readFields(node, fields, reading);
      reading.owner = before;
      return result;
    },
    write: (value) => writeFields(value, fields),
  };
}

/** The fields that are there, in the order of the table. */
export function writeFields(value: object, fields: Fields): Readonly<Record<string, Json>> {
  const values = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, field]) => {
      const each = values.get(field.as ?? key);
      return each === undefined ? [] : [[key, field.reader.write(each)]];
    }),
  );
}

export function objectSchema(fields: Fields): JsonSchema {
  const needed = Object.keys(fields).filter((key) => fields[key]?.required === true);
  return {
    type: "object",
    additionalProperties: false,
    properties: propertiesOf(fields),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

export function propertiesOf(fields: Fields): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [key, { ...field.reader.schema, description: field.description }]),
  );
}
