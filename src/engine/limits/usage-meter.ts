import type { Attempt } from "../../model/attempt.ts";
import type { EventBody } from "../../model/events.ts";
import type { Usage } from "../../model/outcome.ts";
import { addUsage, lessUsage, usageDecided, usageOf, usageOfUnconfirmed, zeroUsage } from "../../model/usage.ts";

/** Sums what attempts say they used: what their results say, else the last that they reported. */
export class UsageMeter {
  #done: Usage | undefined;
  readonly #working = new Map<string, Usage>();
  /** Attempts that wait for a retry: where the run halts first they end once more, with what they said before. */
  readonly #delayed = new Map<string, Attempt>();

  /** Whether the event changed anything. */
  note(body: EventBody): boolean {
    switch (body.type) {
      case "agent.progressed":
        if (body.event.type !== "usage") return false;
        this.#working.set(body.node, body.event.usage);
        return true;
      case "node.ended":
        if (isSame(this.#delayed.get(body.node), body)) return false;
        return this.#settle(body.node, usageOf(body.node, body.result, this.#working.get(body.node)));
      case "node.retrying":
        this.#delayed.set(body.node, body);
        return this.#settle(body.node, usageOf(body.node, body.result, this.#working.get(body.node)));
      case "node.unconfirmed":
        return this.#settle(body.node, usageOfUnconfirmed(body, this.#working.get(body.node)));
      case "node.settled":
        if (this.#done === undefined && body.used === undefined) return false;
        this.#done = usageDecided(this.#done ?? zeroUsage, body);
        return body.used !== undefined || body.inside?.used !== undefined;
      default:
        return false;
    }
  }

  total(): Usage | undefined {
    return sum([this.#done, ...this.#working.values()]);
  }

  #settle(node: string, used: Usage | undefined): boolean {
    this.#working.delete(node);
    if (used === undefined) return false;
    this.#done = sum([this.#done, used]);
    return true;
  }
}

function isSame(one: Attempt | undefined, { pass, attempt }: Attempt): boolean {
  return one?.pass === pass && one.attempt === attempt;
}

/** Undefined where nothing of models was used. */
export function sum(parts: readonly (Usage | undefined)[]): Usage | undefined {
  return parts.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : addUsage(a, b)), undefined);
}

export function less(whole: Usage | undefined, part: Usage | undefined): Usage | undefined {
  return whole === undefined || part === undefined ? whole : lessUsage(whole, part);
}
