import type { InputSpec } from "../../model/type-spec.ts";
import type { ToolArgument } from "../../model/node.ts";
import type { Json } from "../../model/json.ts";
import type { Draft } from "../../language/draft.ts";
import { isRefused } from "../../language/draft.ts";
import { wordsOf } from "../../language/fields/schemas.ts";
import { nearest, oneOfWords } from "../../language/nearest.ts";
import { ownSettings } from "../../language/own-settings.ts";
import { fieldRange, outermost } from "../../language/source.ts";
import { entryOf, quote } from "../../language/tree.ts";
import { valueIn } from "../../language/types.ts";
import type { Callee } from "../callee.ts";
import type { Rule, RuleContext, RuleReport } from "../rule.ts";

type Found = Exclude<Callee, { readonly problem: string }>;
type Call = Extract<Draft, { readonly type: "call" }>;

/** A call names a blueprint that can be run, and gives it what it takes. */
export const badCall: Rule = {
  code: "bad-call",
  needs: "document",
  check(context, report) {
    const { source, calleeOf } = context;
    for (const node of source.drafts.values()) {
      if (node.type !== "call" || node.blueprint === undefined) continue;
      const callee = calleeOf(node.blueprint);
      if (callee === undefined) continue;
      if ("problem" in callee) {
        const message = `Call \`${node.id}\` cannot run ${quote(node.blueprint)}: ${callee.problem}`;
        report(fieldRange(source, node.id, "blueprint"), message, callee.hint);
        continue;
      }
      if (!context.isCallee) checkSettings(node, callee, context, report);
      if (!isRefused(node, "with")) checkInputs(node, callee, context, report);
    }
  },
};

function checkSettings(node: Call, callee: Found, { source }: RuleContext, report: RuleReport): void {
  const { workspace = {}, concurrency = {} } = callee;
  const { blueprint, refused } = outermost(source);
  if (refused.has("workspace") || refused.has("concurrency")) return;
  for (const setting of ownSettings({ workspace, concurrency }, blueprint)) {
    const message = `Call \`${node.id}\`: blueprint \`${callee.name}\` has \`${setting}\`, which only the blueprint that is run can have`;
    const hint = "A callee works where its caller does: say the same in this document, or remove it there.";
    report(fieldRange(source, node.id, "blueprint"), message, hint);
  }
}

function checkInputs(node: Call, callee: Found, { source, suggest }: RuleContext, report: RuleReport): void {
  const given = node.with ?? {};
  const names = [...Object.keys(callee.inputs), "task"];
  const place = source.origins.get(node.id)?.value;
  for (const [name, argument] of Object.entries(given)) {
    const entry = entryOf(entryOf(place, "with")?.value, name);
    const at = entry?.key.range ?? fieldRange(source, node.id);
    const spec = Object.hasOwn(callee.inputs, name) ? callee.inputs[name] : undefined;
    if (spec === undefined && name !== "task") {
      const message = `Call \`${node.id}\`: blueprint \`${callee.name}\` has no input ${quote(name)}${suggest(name, names)}`;
      report(at, message, `It takes ${oneOfWords(names)}.`);
    }
    const value = fixed(argument);
    const fault = spec === undefined || value === undefined ? undefined : faultOf(value, spec);
    if (fault !== undefined)
      report(entry?.value.range ?? at, `Call \`${node.id}\`: \`${name}\` of blueprint \`${callee.name}\` ${fault}`);
  }
  const missing = Object.entries(callee.inputs).flatMap(([name, { default: own }]) =>
    own === undefined && !Object.hasOwn(given, name) ? [name] : [],
  );
  const meant = Object.keys(given).map((name) => (names.includes(name) ? undefined : nearest(name, missing)));
  for (const name of missing) {
    // A misspelt name is one problem.
    if (meant.includes(name)) continue;
    const message = `Call \`${node.id}\` does not give \`${name}\`, which blueprint \`${callee.name}\` needs`;
    report(fieldRange(source, node.id, "with"), message, `Give it: with: {${name}: …}`);
  }
}

/** The value of an argument that holds no reference. */
function fixed(argument: ToolArgument): Json | undefined {
  switch (argument.kind) {
    case "literal":
      return argument.value;
    case "template":
      return argument.template.parts.every((part) => "text" in part)
        ? argument.template.parts.map((part) => ("text" in part ? part.text : "")).join("")
        : undefined;
    case "list": {
      const items = argument.items.map(fixed);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "map": {
      const entries = Object.entries(argument.entries).map(([name, value]) => [name, fixed(value)] as const);
      return entries.every(([, value]) => value !== undefined)
        ? Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
        : undefined;
    }
  }
}

/** Null is as good as nothing given; a schema and a pattern are judged when the run starts. */
function faultOf(value: Json, { type, enum: allowed, default: own }: InputSpec): string | undefined {
  if (value === null)
    return own === undefined && type.kind !== "string" && type.kind !== "json" && type.kind !== "schema"
      ? `must be ${wordsOf(type)}, not empty`
      : undefined;
  const typed = valueIn(type, value);
  if (typed === undefined) return `must be ${wordsOf(type)}, not ${quote(JSON.stringify(value))}`;
  if (allowed === undefined || allowed.some((one) => JSON.stringify(one) === JSON.stringify(typed))) return undefined;
  return `must be ${oneOfWords(allowed.map((one) => JSON.stringify(one)))}, not ${quote(JSON.stringify(value))}`;
}
