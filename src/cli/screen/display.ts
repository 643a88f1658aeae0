import type { Observer } from "../../runtime/api.ts";

/** What a person or a program sees of a run while it goes on. */
export interface Display extends Observer {
  /** Gives the terminal to a prompt until `resume`. */
  suspend(): void;
  resume(): void;
  /** Leaves the last state on the screen. */
  finish(): void;
}
