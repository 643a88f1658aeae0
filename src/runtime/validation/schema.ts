import type { RegExpEngine, RegExpLike } from "ajv/dist/types/index.js";
import type { Json, JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { patternCompiler } from "./pattern.ts";

/** Says what is wrong with a value, in one line that starts with where, or null when it fits. */
export type Validator = (value: Json) => string | null;

export interface SchemaOptions {
  /** It was written for another validator, that of a server: a pattern that cannot be matched here rejects nothing. */
  readonly foreign?: boolean;
}

/**
 * Compiles a JSON Schema (draft-07, or 2020-12 where `$schema` names it). `format` annotates and never rejects.
 * The validator library is loaded at first use. A schema that cannot be compiled is a sentence, not a throw.
 */
export async function compileSchema(
  schema: JsonObject,
  { foreign = false }: SchemaOptions = {},
): Promise<Validator | { readonly invalid: string }> {
  try {
    const untold = new Set<string>();
    const code = hasPatterns(schema) ? { regExp: await patternEngine(foreign, untold) } : {};
    // Else what every object answers to, such as `constructor`, would pass for a property that is not there.
    const own = { ownProperties: true } as const;
    const options = { strict: false, allErrors: true, validateFormats: false, logger: false, code, ...own } as const;
    const ajv = isDraft2020(schema)
      ? new (await import("ajv/dist/2020.js")).Ajv2020(options)
      : new (await import("ajv")).Ajv(options);
    const validate = ajv.compile(schema);
    return (value) => {
      untold.clear();
      const fits = validate(value);
      const [tooLong] = untold;
      if (tooLong !== undefined)
        return `a text in it is too long to be held against the pattern ${JSON.stringify(tooLong)}`;
      if (fits) return null;
      const problems = (validate.errors ?? []).slice(0, limits.schemaProblems);
      return problems
        .map((problem) => `${pathOf(problem.instancePath)} ${problem.message ?? "is invalid"}${detail(problem.params)}`)
        .join("; ");
    };
  } catch (error) {
    return { invalid: messageOf(error) };
  }
}

/** Also where the word only looks like one: then an engine is loaded that nobody needs. */
function hasPatterns(schema: JsonObject): boolean {
  return /"pattern(?:Properties)?":/.test(JSON.stringify(schema));
}

/**
 * The `pattern`s of a schema are matched in linear time. Those that a text is too long for are added to `untold`: such
 * a value must not fit, whatever its schema makes of a match (`not`, `patternProperties`).
 */
async function patternEngine(foreign: boolean, untold: Set<string>): Promise<RegExpEngine> {
  const compile = await patternCompiler();
  /** Told apart by their text. */
  const engine = (source: string): RegExpLike & { readonly toString: () => string } => {
    const pattern = compile(source);
    if (!foreign && "problem" in pattern) throw new Error(`the pattern ${JSON.stringify(source)} ${pattern.problem}`);
    const test = (text: string): boolean => {
      const isMatch = "problem" in pattern ? undefined : pattern.test(text);
      if (isMatch === undefined && !foreign) untold.add(source);
      return isMatch ?? true;
    };
    return { test, toString: () => source };
  };
  return Object.assign(engine, { code: "the engine itself" });
}

function isDraft2020(schema: JsonObject): boolean {
  return typeof schema["$schema"] === "string" && schema["$schema"].includes("2020-12");
}

/** `/items/0/name` → `items.0.name`. */
function pathOf(pointer: string): string {
  if (pointer === "") return "the value";
  const keys = pointer.slice(1).split("/");
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

/** What was expected, where the message of the library leaves it out. */
function detail(params: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(params["allowedValues"]))
    return `: ${params["allowedValues"].map((value) => JSON.stringify(value)).join(", ")}`;
  if (typeof params["additionalProperty"] === "string") return `: "${params["additionalProperty"]}"`;
  return "";
}
