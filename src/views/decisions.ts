import { passKey } from "../engine/outcomes.ts";
import type { Deduced, Fill, KnownSoFar } from "../engine/play-again.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody } from "../model/events.ts";
import type { DecideNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";

/** What a pass of a `decide` node chooses, and what was recorded of it. */
export interface Decided {
  readonly node: string;
  readonly pass: number;
  /** Null where nothing was recorded. */
  readonly before: string | null;
  readonly after: string;
  /** Why it is a guess; null where it follows from what was recorded. */
  readonly guess: string | null;
}

/** What the rules of a `decide` node choose by what is known; null where they leave it to others. */
export type Choose = (
  node: DecideNode,
  recorded: NodeResult | undefined,
  known: KnownSoFar,
) => Promise<{ readonly option: string; readonly guess: string | null } | null>;

export function isOtherwise({ before, after, guess }: Decided): boolean {
  return before !== after || guess !== null;
}

/** Makes the decisions of a run anew. */
export class Decisions {
  readonly #blueprint: Blueprint;
  readonly #choose: Choose;
  readonly #goesOtherwise: (attempt: Attempt) => boolean;
  readonly #made = new Map<string, Decided>();

  /** `goesOtherwise` is true of a pass that says something else now, as what runs inside it goes another way. */
  constructor(blueprint: Blueprint, choose: Choose, goesOtherwise: (attempt: Attempt) => boolean) {
    this.#blueprint = blueprint;
    this.#choose = choose;
    this.#goesOtherwise = goesOtherwise;
  }

  readonly deduce: Fill["deduce"] = (attempt, recorded, known) => {
    const node = this.#blueprint.nodes.get(attempt.node);
    if (node?.type === "decide") return this.#decide(node, attempt, recorded, known);
    if (recorded === undefined || !this.#goesOtherwise(attempt)) return null;
    return Promise.resolve({ result: recorded, isGuess: true });
  };

  async #decide(
    node: DecideNode,
    { pass }: Attempt,
    recorded: NodeResult | undefined,
    known: KnownSoFar,
  ): Promise<Deduced | null> {
    const choice = await this.#choose(node, recorded, known);
    if (choice === null) return null;
    const { option, guess } = choice;
    this.#made.set(passKey({ node: node.id, pass }), {
      node: node.id,
      pass,
      before: recorded?.option ?? null,
      after: option,
      guess,
    });
    return { result: resultOf(this.#blueprint, node.id, option), isGuess: guess !== null };
  }

  /** Those that the run came to, by node. */
  in(events: readonly EventBody[]): ReadonlyMap<string, readonly Decided[]> {
    const found = new Map<string, Decided[]>();
    for (const event of events) {
      const decided = event.type === "node.ended" ? this.#made.get(passKey(event)) : undefined;
      if (decided !== undefined) found.set(decided.node, [...(found.get(decided.node) ?? []), decided]);
    }
    return found;
  }
}

/** What none of the options fits, and no edge takes, waits for a person. */
function resultOf({ edges }: Blueprint, id: string, option: string): NodeResult {
  const takes = edges.some(({ from, when = "success" }) => from === id && (when === "other" || when === "success"));
  if (option !== "other" || takes) {
    return { outcome: "success", option, output: { text: option, bytes: option.length }, value: option };
  }
  const reason = { code: "give_up", text: "none of its options fits, and no edge takes other" } as const;
  return { outcome: "failure", reason, halt: { cause: "escalated", node: "", reason } };
}
