import type { Blueprint } from "../../model/blueprint.ts";
import type { InputSpec, TypeSpec } from "../../model/type-spec.ts";
import { allowsNull, valueIn } from "../../language/types.ts";
import type { Json } from "../../model/json.ts";
import { unkeptNumber, unkeptText } from "../../model/json-text.ts";
import { isTooDeep, tooDeepText } from "../../model/nesting.ts";
import { patternCompiler } from "../validation/pattern.ts";
import { compileSchema } from "../validation/schema.ts";

export interface Inputs {
  /** In the types of their specifications, defaults filled in; for use only where there is no problem. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly problems: readonly string[];
}

export async function inputsOf(blueprint: Blueprint, given: Readonly<Record<string, Json>>): Promise<Inputs> {
  const known = Object.keys(blueprint.inputs);
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(blueprint.inputs, name))
    .map(
      (name) => `there is no input "${name}"; the blueprint declares ${known.length > 0 ? known.join(", ") : "none"}`,
    );
  // Not assigned one by one: an input may be called __proto__.
  const inputs: (readonly [string, Json])[] = [];
  for (const [name, spec] of Object.entries(blueprint.inputs)) {
    const read = await readInput(spec, Object.hasOwn(given, name) ? given[name] : undefined);
    if ("problem" in read) problems.push(`input "${name}" ${read.problem}`);
    else inputs.push([name, read.value]);
  }
  return { inputs: Object.fromEntries(inputs), problems };
}

/** A value in the type of its specification, the default where none is given; or what is wrong, to follow its name. */
export async function readInput(
  spec: InputSpec,
  given: Json | undefined,
): Promise<{ readonly value: Json } | { readonly problem: string }> {
  const isGiven = given !== undefined && (given !== null || allowsNull(spec.type));
  const value = isGiven ? given : spec.default;
  if (value === undefined)
    return { problem: `is missing${spec.description === undefined ? "" : `: ${spec.description}`}` };
  const typed = valueIn(spec.type, value);
  const isUnkept = typeof value === "string" && !isText(spec.type) && unkeptNumber(value) !== null;
  if (isUnkept) return { problem: unkeptText() };
  if (isTooDeep(typed)) return { problem: `is ${tooDeepText}` };
  if (typed === undefined) return { problem: `is not ${wordsOf(spec.type)}` };
  const problem = await mismatch(spec, typed);
  return problem === null ? { value: typed } : { problem };
}

/** What a call gives, where a value that does not exist is as good as none: the default, empty text or null. */
export function givenBy(
  given: Readonly<Record<string, Json>>,
  specs: Readonly<Record<string, InputSpec>>,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): (readonly [string, Json])[] => {
      const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
      if (value !== null || spec === undefined) return [[name, value]];
      if (spec.default !== undefined) return [];
      return [[name, spec.type.kind === "string" ? "" : null]];
    }),
  );
}

async function mismatch(spec: InputSpec, value: Json): Promise<string | null> {
  if (spec.type.kind === "schema") {
    const validate = await compileSchema(spec.type.schema);
    const problem = "invalid" in validate ? `has a schema that is none: ${validate.invalid}` : validate(value);
    if (problem !== null) return `does not fit its schema: ${problem}`;
  }
  const allowed = spec.enum;
  if (allowed !== undefined && !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    return `is none of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`;
  if (spec.pattern === undefined || typeof value !== "string") return null;
  const pattern = (await patternCompiler())(spec.pattern, { whole: true });
  if ("problem" in pattern) return `has a pattern that ${pattern.problem}`;
  const isMatch = pattern.test(value);
  if (isMatch === undefined) return `is too long to be held against ${spec.pattern}`;
  return isMatch ? null : `does not match ${spec.pattern}`;
}

function isText({ kind }: TypeSpec): boolean {
  return kind === "string" || kind === "file" || kind === "path" || kind === "duration" || kind === "enum";
}

function wordsOf(type: TypeSpec): string {
  switch (type.kind) {
    case "list":
      return `a list of ${wordsOf(type.of)}`;
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "boolean":
      return "true or false";
    case "duration":
      return "a duration such as 5m";
    case "schema":
    case "json":
      return "JSON";
    default:
      return `${type.kind === "integer" ? "an" : "a"} ${type.kind}`;
  }
}
