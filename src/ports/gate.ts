import type { HumanOption } from "../model/node.ts";
import type { InputSpec } from "../model/type-spec.ts";
import type { Json } from "../model/json.ts";

export interface Question {
  readonly run: string;
  /** Inside a call or a map a path, `call/child`, `map[2]/child`. */
  readonly node: string;
  /** The gate before the node, where that is asked again there. */
  readonly of?: string;
  readonly mode: "input" | "approval" | "choice" | "form";
  readonly prompt: string;
  /** What the answer is about, displayed as inert text and never as part of the question. */
  readonly evidence: readonly string[];
  /** Why it is asked again, where it is; told with the evidence. */
  readonly because?: string;
  readonly options: readonly HumanOption[];
  readonly fields: Readonly<Record<string, InputSpec>>;
  /** Who may answer; anybody where it is absent. */
  readonly approvers?: readonly string[];
}

export type Answer =
  | { readonly kind: "approved" | "declined"; readonly by: string }
  | { readonly kind: "text"; readonly by: string; readonly text: string }
  | { readonly kind: "value"; readonly by: string; readonly value: Json }
  /** Nobody can be asked here. */
  | { readonly kind: "nobody" }
  | { readonly kind: "end_of_input" };

/** Asks a person. Rejects never; an abort resolves as `nobody`. */
export interface GateKeeper {
  /** Set where every question is answered `nobody` at once. */
  readonly nobody?: true;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}
