import { limits } from "./limits.ts";

/** What is said of a value that {@link isTooDeep}. */
export const tooDeepText = `nested deeper than ${limits.jsonDepth} levels`;

/**
 * Whether lists and objects stand in one another beyond `limits.jsonDepth`:
 * what walks a value walks it by calling itself.
 */
export function isTooDeep(value: unknown): boolean {
  let level = nested([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.jsonDepth) return true;
    level = level.flatMap((one) => nested(Object.values(one)));
  }
  return false;
}

/** JSON of a value that came from outside. */
export function jsonText(value: unknown): string {
  return isTooDeep(value) ? `(${tooDeepText})` : JSON.stringify(value);
}

function nested(values: readonly unknown[]): readonly object[] {
  return values.filter((one) => typeof one === "object" && one !== null);
}
