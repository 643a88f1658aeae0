import type { AgentEvent } from "../../model/agent-event.ts";
import { limits } from "../../model/limits.ts";
import { clip } from "../text.ts";

type Trail = readonly AgentEvent[];

/** What an agent did with what it did next. Kept of every agent at work, so bounded; the oldest goes first. */
export function withNext(trail: Trail | undefined, event: AgentEvent): Trail | undefined {
  if (!told.has(event.type)) return trail;
  return [...(trail ?? []), trailed(event)].slice(-limits.trailEvents);
}

const told: ReadonlySet<AgentEvent["type"]> = new Set(["text", "tool_call", "tool_result", "diff"]);

function trailed(event: AgentEvent): AgentEvent {
  const most = limits.trailEventBytes;
  if (event.type === "tool_result") return { ...event, output: clip(event.output, most) };
  if (event.type === "tool_call") {
    const input = JSON.stringify(event.input);
    return input.length <= most ? event : { ...event, input: clip(input, most) };
  }
  if (event.type !== "diff") return event;
  const { before, after } = event;
  return (before?.length ?? 0) + (after?.length ?? 0) <= most ? event : { ...event, before: null, after: tooLarge };
}

const tooLarge = "(too large to be shown)\n";
