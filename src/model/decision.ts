import type { Json } from "./json.ts";
import type { Template } from "./template.ts";

/** Who may decide, in the order of `by`: the author's rules, resolved cases of this blueprint, a connected model. */
export type Chooser = "rules" | "cases" | "model";

/** What speaks for an option in the value a decision is about. */
export type DecisionRule = { readonly fallback?: true } & (
  | { readonly kind: "matches"; readonly pattern: string }
  | { readonly kind: "contains"; readonly text: string }
  | { readonly kind: "pointer"; readonly pointer: string; readonly value: Json }
  | { readonly kind: "exit"; readonly code: number }
);

export interface DecideOption {
  readonly id: string;
  readonly title?: string;
  readonly match?: DecisionRule;
}

/** Chooses one of options that were fixed before the run; what it looks at never becomes one. */
export interface Decision {
  readonly type: "decide";
  readonly question: Template;
  readonly about: Template;
  readonly options: readonly DecideOption[];
  /** Who is asked when none of the options fits. */
  readonly other?: { readonly ask: "creator" };
  /** Above 0, at most 1: a choice that is less sure is `other`. */
  readonly confidence?: number;
  readonly by: readonly Chooser[];
}
