import { holds, words } from "./characters.ts";
import type { Expression } from "./expression.ts";

/** Steps that may still be taken; counted down. */
export interface Budget {
  steps: number;
}

/**
 * Whether the whole text matches; undefined once the steps are used up. Meant for
 * short texts: what a run reads goes to an engine.
 */
export function matchesWhole(expression: Expression, text: string, budget: Budget): boolean | undefined {
  const letters = Array.from(text);
  const ends = new Matcher(letters, budget).ends(expression, [0]);
  return budget.steps <= 0 ? undefined : ends.includes(letters.length);
}

/** Follows all ways at once: from a set of places in the text to those where the expression can end. */
class Matcher {
  readonly #letters: readonly string[];
  readonly #budget: Budget;

  constructor(letters: readonly string[], budget: Budget) {
    this.#letters = letters;
    this.#budget = budget;
  }

  ends(expression: Expression, places: readonly number[]): readonly number[] {
    this.#budget.steps -= 1 + places.length;
    if (this.#budget.steps <= 0 || places.length === 0) return [];
    switch (expression.kind) {
      case "characters":
        return places.filter((at) => this.#isIn(expression, at)).map((at) => at + 1);
      case "assertion":
        return places.filter((at) => this.#isAt(expression.at, at));
      case "sequence":
        return expression.parts.reduce((from, part) => this.ends(part, from), places);
      case "choice":
        return unique(expression.options.flatMap((option) => this.ends(option, places)));
      case "repeat":
        return this.#repeated(expression, places);
    }
  }

  #repeated(
    { of, least, most }: Extract<Expression, { kind: "repeat" }>,
    places: readonly number[],
  ): readonly number[] {
    let from = places;
    for (let count = 0; count < least && from.length > 0; count += 1) from = this.ends(of, from);
    const reached = new Set(from);
    for (let count = least; count < most && from.length > 0; count += 1) {
      from = this.ends(of, from).filter((at) => !reached.has(at));
      for (const at of from) reached.add(at);
    }
    return [...reached];
  }

  #isIn({ spans, properties }: Extract<Expression, { kind: "characters" }>, at: number): boolean {
    const letter = this.#letters[at];
    if (letter === undefined) return false;
    const { names, negated } = properties;
    const isOne = holds(spans, letter.codePointAt(0) ?? 0) || names.some((name) => new RegExp(name, "u").test(letter));
    return isOne !== negated;
  }

  #isAt(what: "start" | "end" | "word" | "no-word", at: number): boolean {
    if (what === "start") return at === 0;
    if (what === "end") return at === this.#letters.length;
    return (this.#isWord(at - 1) !== this.#isWord(at)) === (what === "word");
  }

  #isWord(at: number): boolean {
    const letter = this.#letters[at];
    return letter !== undefined && holds(words, letter.codePointAt(0) ?? 0);
  }
}

function unique(places: readonly number[]): readonly number[] {
  return [...new Set(places)];
}
