import type { Json } from "./json.ts";
import type { Usage } from "./outcome.ts";

/** The one stream every provider emits; screens, journal and tests read only this. */
export type AgentEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly tool: string; readonly input: Json }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly output: string;
    }
  | { readonly type: "diff"; readonly path: string; readonly before: string | null; readonly after: string | null }
  | {
      readonly type: "permission";
      readonly tool: string;
      readonly request: string;
      readonly decision: "allowed" | "denied";
    }
  /** The provider asked for a pause of so many milliseconds, which is kept in the middle of the work. */
  | { readonly type: "paused"; readonly why: "quota" | "overloaded"; readonly ms: number }
  /** Nothing has come of it for `ms` milliseconds; unless something does it is ended in `leftMs`. */
  | { readonly type: "quiet"; readonly ms: number; readonly leftMs: number }
  /** What it is given beside its prompt: SHA-256 of the text, which the blob store keeps. */
  | { readonly type: "context"; readonly bundle: string; readonly bytes: number }
  /**
   * A file that it was given, read, read outside of its scope, or may not read.
   * Of its content the SHA-256, where it is known.
   */
  | {
      readonly type: "read";
      readonly path: string;
      readonly digest: string | null;
      readonly how: "given" | "read" | "outside" | "refused";
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | {
      readonly type: "stop";
      readonly why: "end_turn" | "refusal" | "turn_limit" | "output_limit" | "give_up" | "cancelled" | "error";
    };
