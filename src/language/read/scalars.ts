import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { Template } from "../../model/template.ts";
import { oneOfWords } from "../nearest.ts";
import type { Quantity } from "../quantity.ts";
import { parseCount, parseDuration, parseMoney, parseSize, printDuration, printMoney, printSize } from "../quantity.ts";
import { parseTemplate, references } from "../template.ts";
import type { Located, LocatedScalar } from "../tree.ts";
import { describe, quote } from "../tree.ts";
import type { Reader, Reading } from "./reading.ts";

interface TextRules {
  readonly maxCharacters?: number;
  readonly pattern?: RegExp;
  /** What the pattern stands for, to follow "must be". */
  readonly words?: string;
  readonly mayBeEmpty?: boolean;
  /** What may be written instead of a text that the pattern refuses. */
  readonly mended?: (value: string) => string;
}

/** A text. Numbers and booleans are refused: quoting them says that text is meant. */
export function text(rules: TextRules = {}): Reader<string> {
  const expected = rules.words ?? "text";
  const schema = {
    type: "string",
    ...(rules.mayBeEmpty === true ? {} : { minLength: 1 }),
    ...(rules.maxCharacters === undefined ? {} : { maxLength: rules.maxCharacters }),
    ...(rules.pattern === undefined ? {} : { pattern: rules.pattern.source }),
  };
  return {
    expected,
    schema,
    read(node, reading, field) {
      const scalar = textScalar(node, reading, field, expected);
      if (scalar === undefined) return undefined;
      const value = String(scalar.value);
      if (value.trim() === "" && rules.mayBeEmpty !== true) {
        reading.problem("invalid-value", node, `${reading.place(field)} is empty`);
        return undefined;
      }
      if (rules.maxCharacters !== undefined && value.length > rules.maxCharacters) {
        reading.problem(
          "invalid-value",
          node,
          `${reading.place(field)} has ${value.length} characters; at most ${rules.maxCharacters} are allowed`,
        );
        return undefined;
      }
      if (rules.pattern !== undefined && !rules.pattern.test(value)) {
        const mended = rules.mended?.(value) ?? "";
        const hint = mended !== "" && rules.pattern.test(mended) ? `Write ${field}: ${mended}` : undefined;
        reading.problem(
          "invalid-value",
          node,
          `${reading.place(field)} must be ${expected}, not ${quote(value)}`,
          hint,
        );
        return undefined;
      }
      return value;
    },
    write: (value) => value,
  };
}

function textScalar(node: Located, reading: Reading, field: string, expected: string): LocatedScalar | undefined {
  if (node.kind === "scalar" && typeof node.value === "string") return node;
  const braces = bracesOf(node);
  if (braces !== undefined) {
    const message = `${reading.place(field)} must be ${expected}, but ${braces} without quotes is a YAML map`;
    reading.problem("unquoted-reference", node, message, `Quote it: ${field}: "${braces}"`);
    return undefined;
  }
  const plain = node.kind === "scalar" && node.value !== null;
  return reading.wrongType(node, field, expected, plain ? `Quote it if text is meant: "${node.source}"` : undefined);
}

/** `{task}` where a flow map with one empty key was read. */
function bracesOf(node: Located): string | undefined {
  if (node.kind !== "map" || !node.flow || node.entries.length !== 1) return undefined;
  const [entry] = node.entries;
  const empty = entry?.value.kind === "scalar" && entry.value.value === null;
  return empty && /^[\w.-]+$/.test(entry.key.source) ? `{${entry.key.source}}` : undefined;
}

/** A name as written, whatever YAML makes of it: `on`, `no`, `010`. */
export const name: Reader<string> = {
  expected: "a name",
  schema: { type: ["string", "number", "boolean"] },
  read(node, reading, field) {
    if (node.kind === "scalar" && node.source !== "") return node.source;
    return reading.wrongType(node, field, "a name");
  },
  write: (value) => value,
};

/** Text with references. */
export const template: Reader<Template> = {
  expected: "text",
  schema: { type: "string" },
  read(node, reading, field) {
    const scalar = textScalar(node, reading, field, "text");
    return scalar && templateOf(scalar, reading, field);
  },
  write: ({ source }) => source,
};

/** As `template`; plain numbers and booleans stand for their text, as in an environment. */
export const looseTemplate: Reader<Template> = {
  expected: "text",
  schema: { type: ["string", "number", "boolean"] },
  read(node, reading, field) {
    const plain = node.kind === "scalar" && node.value !== null && typeof node.value !== "string";
    if (plain) return { source: node.source, parts: [{ text: node.source }] };
    return template.read(node, reading, field);
  },
  write: ({ source }) => source,
};

export function templateOf(scalar: LocatedScalar, reading: Reading, field: string): Template {
  const source = String(scalar.value);
  const left = reading.referencesLeft;
  const parsed = parseTemplate(source, (word) => reading.nodeNames.has(word), left);
  if (!source.includes("{")) return parsed;
  reading.templates.push({ template: parsed, scalar, field, node: reading.node });
  reading.referencesLeft -= references(parsed).length;
  if (left > 0 && reading.referencesLeft === 0) {
    const message = `The document has ${limits.referencesPerDocument} references or more by ${reading.place(field)}`;
    reading.problem("invalid-value", scalar, message, "Split the blueprint.");
  }
  return parsed;
}

export const requiredText = { ...template, schema: { type: "string", minLength: 1 } } satisfies Reader<Template>;

export function integer(min: number, max: number): Reader<number> {
  const expected = `a whole number from ${min} to ${max}`;
  return number(
    expected,
    { type: "integer", minimum: min, maximum: max },
    (value) => Number.isInteger(value) && value >= min && value <= max,
  );
}

export function positive(max: number): Reader<number> {
  const expected = `a number above 0, at most ${max}`;
  return number(expected, { type: "number", exclusiveMinimum: 0, maximum: max }, (value) => value > 0 && value <= max);
}

function number(
  expected: string,
  schema: Reader<number>["schema"],
  allowed: (value: number) => boolean,
): Reader<number> {
  return {
    expected,
    schema,
    read(node, reading, field) {
      if (node.kind !== "scalar" || typeof node.value !== "number") {
        const quoted = node.kind === "scalar" && typeof node.value === "string" && /^\d+$/.test(node.value);
        const bare = node.kind === "map" ? `Write the number alone, such as ${field}: 3.` : undefined;
        return reading.wrongType(node, field, expected, quoted ? "Remove the quotes." : bare);
      }
      if (allowed(node.value)) return node.value;
      reading.problem("invalid-value", node, `${reading.place(field)} must be ${expected}, not ${node.source}`);
      return undefined;
    },
    write: (value) => value,
  };
}

export const boolean: Reader<boolean> = {
  expected: "true or false",
  schema: { type: "boolean" },
  read(node, reading, field) {
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    const word = node.kind === "scalar" && /^(yes|no|on|off)$/i.test(node.source);
    return reading.wrongType(node, field, "true or false", word ? "YAML 1.2 knows only true and false." : undefined);
  },
  write: (value) => value,
};

/** One word of a closed set. */
export function word<const W extends string>(...words: readonly W[]): Reader<W> {
  const expected = oneOfWords(words);
  return {
    expected,
    schema: { enum: words },
    read(node, reading, field) {
      if (node.kind !== "scalar" || node.source === "") return reading.wrongType(node, field, expected);
      const found = words.find((candidate) => candidate === node.source);
      if (found === undefined) {
        const message = `${reading.place(field)} must be ${expected}, not ${quote(node.source)}${reading.suggest(node.source, words)}`;
        reading.problem("invalid-value", node, message);
      }
      return found;
    },
    write: (value) => value,
  };
}

/** A reader of text that a parser of its own understands. */
export function quantity<T>(
  expected: string,
  pattern: string,
  parse: (text: string) => Quantity<T>,
  write: (value: T) => Json,
): Reader<T> {
  return {
    expected,
    schema: { type: "string", pattern },
    read(node, reading, field) {
      if (node.kind !== "scalar" || node.value === null) return reading.wrongType(node, field, expected);
      const result = parse(node.source);
      if ("value" in result) return result.value;
      reading.problem(
        "invalid-quantity",
        node,
        `${reading.place(field)} must be ${expected}; ${describe(node)} ${result.problem}`,
        result.hint,
      );
      return undefined;
    },
    write,
  };
}

/** Milliseconds. */
export const duration = quantity(
  "a duration such as 5m",
  String.raw`^\d+(\.\d+)?\s*(ms|s|m|h|d)$`,
  parseDuration,
  printDuration,
);
/** Bytes. */
export const size = quantity(
  "a size such as 64KiB",
  String.raw`^\d+(\.\d+)?\s*(B|KiB|MiB|GiB|KB|MB|GB)$`,
  parseSize,
  printSize,
);
const writtenCount = quantity("a count such as 500k", String.raw`^\d+(\.\d+)?\s*[kM]?$`, parseCount, (value) => value);
/** Plain numbers too. */
export const count: Reader<number> = {
  ...writtenCount,
  schema: { anyOf: [{ type: "integer", minimum: 1 }, writtenCount.schema] },
};
export const money = quantity(
  "an amount such as 5 USD",
  String.raw`^\d+(\.\d{1,6})?\s*[A-Z]{3}$`,
  parseMoney,
  printMoney,
);
