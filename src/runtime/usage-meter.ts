import type { EventBody } from "../model/events.ts";
import type { Usage } from "../model/outcome.ts";

/** Sums what attempts say they used: what their results say, else the last that they reported. */
export class UsageMeter {
  #done: Usage | undefined;
  readonly #working = new Map<string, Usage>();

  /** Whether the event changed anything. */
  note(body: EventBody): boolean {
    switch (body.type) {
      case "agent.progressed":
        if (body.event.type !== "usage") return false;
        this.#working.set(body.node, body.event.usage);
        return true;
      case "node.ended":
      case "node.retrying":
        return this.#settle(body.node, body.result.usage);
      case "node.unconfirmed":
        return this.#settle(body.node, undefined);
      default:
        return false;
    }
  }

  total(): Usage | undefined {
    return sum([this.#done, ...this.#working.values()]);
  }

  #settle(node: string, said: Usage | undefined): boolean {
    const used = said ?? this.#working.get(node);
    this.#working.delete(node);
    if (used === undefined) return false;
    this.#done = sum([this.#done, used]);
    return true;
  }
}

/** One part whose cost is unknown makes the whole unknown. */
export function sum(parts: readonly (Usage | undefined)[]): Usage | undefined {
  return parts.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : combined(a, b, 1)), undefined);
}

export function less(whole: Usage | undefined, part: Usage | undefined): Usage | undefined {
  return whole === undefined || part === undefined ? whole : combined(whole, part, -1);
}

function combined(a: Usage, b: Usage, sign: 1 | -1): Usage {
  const cost = a.cost === undefined || b.cost === undefined ? undefined : a.cost + sign * b.cost;
  return {
    inputTokens: a.inputTokens + sign * b.inputTokens,
    outputTokens: a.outputTokens + sign * b.outputTokens,
    turns: a.turns + sign * b.turns,
    ...(cost === undefined ? {} : { cost }),
  };
}
