import type { Blueprint } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import type { Values } from "../ports/performer.ts";

/**
 * The declared outputs of a run that succeeded; undefined where there are
 * none. What does not exist is empty text or null.
 */
export async function declaredOutputs(
  { outputs }: Pick<Blueprint, "outputs">,
  values: Pick<Values, "value">,
): Promise<Readonly<Record<string, Json>> | undefined> {
  const found: [string, Json][] = [];
  for (const [name, { type, from }] of Object.entries(outputs)) {
    const value = await values.value(from);
    found.push([name, value === null && type.kind === "string" ? "" : value]);
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
