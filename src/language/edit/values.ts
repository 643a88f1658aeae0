import { stringify } from "yaml";
import type { Json } from "../../model/json.ts";

/** A value on one line that stands anywhere in YAML, also between braces. */
export function flowText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, each]) => `${flowText(key)}: ${flowText(each)}`)
      .join(", ")}}`;
  }
  const [line, ...more] = stringify([value], { collectionStyle: "flow", lineWidth: 0 }).trimEnd().split("\n");
  // Only the spaces inside the brackets go: YAML takes the other white space of Unicode for text.
  return line === undefined || more.length > 0 ? JSON.stringify(value) : line.slice(1, -1).replace(/^ +| +$/g, "");
}

/**
 * A value after `key:` in a map of lines whose keys are indented by `indent`; a text of several lines stays readable.
 */
export function lineText(value: Json, indent: string): string {
  if (typeof value !== "string" || !isPlainBlock(value)) return flowText(value);
  const lines = value.replace(/\n$/, "").split("\n");
  return [value.endsWith("\n") ? "|" : "|-", ...lines.map((line) => (line === "" ? "" : `${indent}  ${line}`))].join(
    "\n",
  );
}

/** Whether each line of a text can stand as it is. */
function isPlainBlock(text: string): boolean {
  return /^[^\s\p{Cc}][^\p{Cc}]*(?:\n+[^\p{Cc}]+)+\n?$/u.test(text) && !/[ \uFEFF](?:\n|$)/.test(text);
}

/** `key: value` over as many lines as it takes, all of them indented. */
export function blockEntry(key: string, value: Json, indent: string): string {
  return stringify({ [key]: value }, { lineWidth: 0 })
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => (line === "" ? "" : `${indent}${line}`))
    .join("\n");
}
