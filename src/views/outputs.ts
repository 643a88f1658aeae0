import type { Attempt } from "../model/attempt.ts";
import type { EventBody } from "../model/events.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";

/** Something that an attempt said. */
export interface NodeOutput {
  readonly of: Attempt;
  readonly kind: "output" | "stdout" | "stderr";
  readonly captured: CapturedText;
}

const kinds = ["output", "stdout", "stderr"] as const;

/** Everything that the attempts of a run said, in the order they ended; what is empty is left out. */
export function nodeOutputs(events: Iterable<{ readonly body: EventBody }>): readonly NodeOutput[] {
  const found: NodeOutput[] = [];
  for (const { body } of events) {
    if (body.type === "node.ended" || body.type === "node.retrying") found.push(...outputsIn(body, body.result));
  }
  return found;
}

function outputsIn({ node, pass, attempt }: Attempt, result: NodeResult): NodeOutput[] {
  return kinds.flatMap((kind) => {
    const captured = result[kind];
    return captured === undefined || captured.bytes === 0 ? [] : [{ of: { node, pass, attempt }, kind, captured }];
  });
}
