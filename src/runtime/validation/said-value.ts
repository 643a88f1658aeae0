import { schemaAt } from "../../language/ports.ts";
import { typeSchema } from "../../language/types.ts";
import type { OutputFormat } from "../../model/node.ts";
import type { TypeSpec } from "../../model/type-spec.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { CapturedText, NodeResult } from "../../model/outcome.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import { parseOutput } from "./output.ts";
import { compileSchema } from "./schema.ts";

type Judged = Partial<Pick<NodeResult, "outcome" | "reason" | "value" | "ports">>;

/** What `output:` makes of a text that a command or a tool said; a value that does not parse is a failure. */
export async function saidValue(
  said: CapturedText,
  format: OutputFormat | undefined,
  blobs: BlobStore,
  what = "stdout",
): Promise<Judged> {
  if (format === undefined || format.as === "text") return {};
  if (said.bytes > limits.parsedOutputBytes)
    return invalid(`${what} has ${said.bytes} bytes; \`output: ${format.as}\` takes up to ${limits.parsedOutputBytes}`);
  const text = said.blob === undefined ? said.text : Buffer.from((await blobs.get(said.blob)) ?? []).toString();
  const parsed = await parseOutput(text, format);
  return "problem" in parsed ? invalid(parsed.problem) : { value: parsed.value };
}

/**
 * A result whose ports keep what `output:` promises of their names: a port that does not fit is left out, and a success
 * becomes a failure. The checker takes such a port for as good as authored.
 */
export async function withFittingPorts(result: NodeResult, format: OutputFormat | undefined): Promise<NodeResult> {
  if (format?.as !== "schema" || result.ports === undefined) return result;
  const ports: Record<string, Json> = {};
  let problem: string | undefined;
  for (const [name, value] of Object.entries(result.ports)) {
    const fault = await portFault(name, value, format.schema);
    if (fault === null) Object.defineProperty(ports, name, { value, enumerable: true });
    else problem ??= `the port \`${name}\` does not fit the schema of \`output\`: ${fault}`;
  }
  if (problem === undefined) return result;
  return { ...result, ports, ...(result.outcome === "success" && invalid(problem)) };
}

async function portFault(name: string, value: Json, whole: JsonObject): Promise<string | null> {
  const schema = schemaAt(whole, [name]);
  if (schema === undefined) return null;
  const { $defs, definitions } = whole;
  return schemaFault(value, {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  });
}

/** Why a value does not fit, in one line; null where it does. */
export async function schemaFault(value: Json, schema: JsonObject): Promise<string | null> {
  const validate = await compileSchema(schema);
  return typeof validate === "function" ? validate(value) : validate.invalid;
}

/** Why a value is not of a type, or null. */
export function typeFault(value: Json, type: TypeSpec): Promise<string | null> {
  return schemaFault(value, typeSchema(type));
}

export function invalid(text: string): Pick<NodeResult, "outcome" | "reason"> {
  return { outcome: "failure", reason: { code: "output_invalid", text } };
}
