import type { Json } from "../../model/json.ts";
import type { Located, LocatedEntry, LocatedList, LocatedMap } from "../tree.ts";
import { blockEntry, flowText, lineText } from "./values.ts";

/** Text that takes the place of a part of the source. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Puts a value in the place of another. What stands around it, comments too, stays. */
export function replaceValue(text: string, entry: LocatedEntry, inFlow: boolean, value: Json): Splice {
  const { start, end } = entry.value.range;
  const indent = indentAt(text, entry.key.range.start);
  const written = inFlow ? flowText(value) : lineText(value, indent);
  if (isAbsent(entry)) {
    const colon = text.indexOf(":", entry.key.range.end) + 1;
    return { start: colon, end: colon, text: ` ${written}` };
  }
  return replace(text, start, end, written, indent.length);
}

/** Puts a value in the place of an item of a list. */
export function replaceItem(text: string, item: Located, value: Json): Splice {
  return replace(text, item.range.start, item.range.end, flowText(value), -1);
}

function replace(text: string, start: number, end: number, written: string, outerColumn: number): Splice {
  const ends = text[end - 1] === "\n" && end > start ? "\n" : "";
  // A list may begin in the column of its key, other values may not.
  const pad = columnOf(text, start) <= outerColumn ? "  " : "";
  return { start, end, text: `${pad}${written}${ends}` };
}

/** Adds an entry at the end of a map, or after one of its entries, in the style of the others. */
export function addEntry(text: string, map: LocatedMap, key: string, value: Json, after?: string): Splice {
  const last = map.entries.find((entry) => entry.key.source === after) ?? map.entries.at(-1);
  if (map.flow) return addInFlow(map, last && flowEnd(text, last), `${flowText(key)}: ${flowText(value)}`);
  const indent = indentAt(text, (map.entries[0]?.key ?? map).range.start);
  const inLines = map.entries.some((entry) => entry.value.kind !== "scalar" && isBlock(text, entry.value));
  const isNested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  const line =
    isNested && inLines ? blockEntry(key, value, indent) : `${indent}${flowText(key)}: ${lineText(value, indent)}`;
  return addLine(text, last === undefined ? map.range.end : endOf(last.value, last), line);
}

/** Adds an item at the end of a list. */
export function addItem(text: string, list: LocatedList, value: Json): Splice {
  const last = list.items.at(-1);
  if (!isBlock(text, list)) return addInFlow(list, last?.range.end, flowText(value));
  const indent = " ".repeat(columnOf(text, list.range.start));
  return addLine(text, last === undefined ? list.range.end : endOf(last), `${indent}- ${flowText(value)}`);
}

function addInFlow(inside: Located, last: number | undefined, written: string): Splice {
  if (last !== undefined) return { start: last, end: last, text: `, ${written}` };
  const start = inside.range.start + 1;
  return { start, end: start, text: written };
}

function flowEnd(text: string, entry: LocatedEntry): number {
  if (!isAbsent(entry)) return entry.value.range.end;
  const rest = /^\s*:/.exec(text.slice(entry.key.range.end, entry.key.range.end + 100));
  return entry.key.range.end + (rest?.[0].length ?? 0);
}

function addLine(text: string, end: number, line: string): Splice {
  if (text[end - 1] === "\n") return { start: end, end, text: `${line}\n` };
  const newline = text.indexOf("\n", end);
  const start = newline < 0 ? text.length : newline;
  return { start, end: start, text: `\n${line}` };
}

/** Where the last of a value stands, without comments and blank lines that follow it. */
function endOf(value: Located, entry?: LocatedEntry): number {
  if (entry !== undefined && isAbsent(entry)) return entry.key.range.end;
  if (value.kind === "map" && !value.flow) {
    const last = value.entries.at(-1);
    return last === undefined ? value.range.end : endOf(last.value, last);
  }
  const item = value.kind === "list" ? value.items.at(-1) : undefined;
  return item === undefined ? value.range.end : Math.max(endOf(item), value.range.end);
}

function isBlock(text: string, value: Located): boolean {
  return value.kind === "map" ? !value.flow : value.kind === "list" && text[value.range.start] !== "[";
}

function isAbsent({ key, value }: LocatedEntry): boolean {
  return value.kind === "scalar" && value.source === "" && value.style === "plain" && value.range === key.range;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function indentAt(text: string, offset: number): string {
  return " ".repeat(columnOf(text, offset));
}
