import type { AgentEvent } from "../model/agent-event.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import { isTooDeep, tooDeepText } from "../model/nesting.ts";
import { clip, type Mask } from "../runtime/text.ts";

/** An event as it may be kept and shown: secrets masked first, then each text bounded. */
export function presentable(event: AgentEvent, mask: Mask, maxBytes: number = limits.agentEventBytes): AgentEvent {
  const text = (value: string): string => clip(mask(value), maxBytes);
  const side = (value: string | null): string | null => (value === null ? null : text(value));
  // A model may call a tool by any name, and an agent give its calls any.
  const named = ({ id, tool }: { readonly id: string; readonly tool: string }) => ({ id: text(id), tool: text(tool) });
  switch (event.type) {
    case "text":
    case "thinking":
      return { ...event, text: text(event.text) };
    case "tool_call":
      return {
        ...event,
        ...named(event),
        input: isTooDeep(event.input) ? tooDeepText : boundedJson(maskedJson(event.input, mask), maxBytes),
      };
    case "tool_result":
      return { ...event, ...named(event), output: text(event.output) };
    case "diff":
      return { ...event, path: text(event.path), before: side(event.before), after: side(event.after) };
    case "permission":
      return { ...event, tool: text(event.tool), request: text(event.request) };
    case "read":
      return { ...event, path: text(event.path) };
    case "context":
    case "usage":
    case "paused":
    case "quiet":
    case "stop":
      return event;
  }
}

/** Every string in a value masked, keys included. */
export function maskedJson(value: Json, mask: Mask): Json {
  if (typeof value === "string") return mask(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => maskedJson(item, mask));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskedJson(item, mask)]));
}

/** The value, or where it is too large its text, cut. */
function boundedJson(value: Json, maxBytes: number): Json {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) <= maxBytes ? value : clip(text, maxBytes);
}
