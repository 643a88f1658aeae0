import { Script } from "node:vm";
import type { CodeNode } from "../model/node.ts";
import { messageOf } from "../model/thrown.ts";

const handedIn = ["fail", "require"] as const;

/** The body of a `code` node as a module that exports it as a function, or why it is none. */
export function moduleOf({
  language,
  body,
  with: values = {},
}: CodeNode): { readonly source: string } | { readonly problem: string } {
  const names = Object.keys(values);
  const unfit = names.find((name) => !isVariable(name));
  if (unfit !== undefined) return { problem: `with: ${unfit} cannot be the name of a variable` };
  const taken = names.find((name) => handedIn.some((own) => own === name));
  if (taken !== undefined) return { problem: `with: ${taken} is handed in already; use another name` };
  const source = `async (${[...handedIn, ...names].join(", ")}) => {\n${body}\n}`;
  const problem = language === "js" ? problemOf(source) : null;
  return problem === null ? { source: `export default ${source};\n` } : { problem: `body: ${problem}` };
}

/**
 * Compiled to find its mistakes before the run; it is run in a process of its own only. Types are left to that process.
 */
function problemOf(source: string): string | null {
  try {
    compile(`(${source})`);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function isVariable(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && problemOf(`async (${name}) => 0`) === null;
}

function compile(source: string): void {
  void new Script(`"use strict";${source}`);
}

/** Calls the body with its values and writes what it answers. Arguments: module, values, answer. */
export const mainProgram = `
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

class Failure extends Error {}
const [body, values, answer] = process.argv.slice(2);
const fail = (text = "failed") => {
  throw new Failure(String(text));
};
// JSON would make null of it, which nobody computed.
const held = (key, value) => {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError("what was returned holds " + value + " (" + key + "), and JSON has no such number");
};
const tell = (what) => writeFileSync(answer, JSON.stringify(what, held));
let call;
try {
  call = (await import(pathToFileURL(body))).default;
} catch (error) {
  tell({ broken: String(error) });
  process.exit(126);
}
try {
  const value = await call(fail, createRequire(join(process.cwd(), "x")), ...JSON.parse(readFileSync(values, "utf8")));
  tell({ value: value === undefined ? null : value });
  process.exit();
} catch (error) {
  if (!(error instanceof Failure)) console.error(error);
  tell({ problem: error instanceof Failure ? error.message : String(error) });
  process.exit(1);
}
`;
