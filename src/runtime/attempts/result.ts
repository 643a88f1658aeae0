import { limits } from "../../model/limits.ts";
import type { EventBody } from "../../model/events.ts";
import type { Json } from "../../model/json.ts";
import { isTooDeep, tooDeepText } from "../../model/nesting.ts";
import type { NodeResult } from "../../model/outcome.ts";

const outcomes: ReadonlySet<unknown> = new Set<NodeResult["outcome"]>(["success", "failure", "error", "cancelled"]);

/** A result that the journal can hold: of a known outcome, and within `limits.eventBytes`. */
export function admissible(result: NodeResult): NodeResult {
  if (typeof result !== "object" || result === null || !outcomes.has(result.outcome))
    return { outcome: "error", reason: { code: "internal", text: "the performer gave no outcome" } };
  if (result.value === undefined && result.ports === undefined) return result;
  const problem = unkeepable([result.value, result.ports]);
  if (problem === null) return result;
  const { value: _value, ports: _ports, ...rest } = result;
  const text = `its value ${problem}; write it to a file and pass on the path`;
  return { ...rest, outcome: "failure", reason: { code: "output_invalid", text } };
}

function unkeepable(values: readonly unknown[]): string | null {
  if (values.some(isTooDeep)) return `is ${tooDeepText}`;
  const bytes = Buffer.byteLength(JSON.stringify(values));
  return bytes <= limits.eventBytes ? null : `has ${bytes} bytes and the most is ${limits.eventBytes}`;
}

/** Telemetry within `limits.eventBytes`: long texts in it are cut, with a mark. */
export function clipped<E extends EventBody>(event: E): E {
  if (JSON.stringify(event).length <= limits.eventBytes) return event;
  // The same shape with shorter texts.
  return clip(event as unknown as Json) as unknown as E;
}

function clip(value: Json): Json {
  if (typeof value === "string")
    return value.length > limits.previewBytes ? `${value.slice(0, limits.previewBytes)}… [cut]` : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.slice(0, limits.clippedItems).map(clip);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, limits.clippedItems)
      .map(([key, item]) => [key, clip(item)]),
  );
}
