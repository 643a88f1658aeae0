import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";

/**
 * What an agent says, emitted in pieces of whole lines where there are any, never between the halves of a character.
 */
export class Speech {
  readonly #emit: (event: AgentEvent) => void;
  #type: "text" | "thinking" = "text";
  #pending = "";

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  say(type: "text" | "thinking", text: string): void {
    if (type !== this.#type) this.flush();
    this.#type = type;
    this.#pending += text;
    if (this.#pending.length < limits.textEventCharacters) return;
    const line = this.#pending.lastIndexOf("\n") + 1;
    const end = line > 0 ? line : this.#pending.length - (endsInHalf(this.#pending) ? 1 : 0);
    const rest = this.#pending.slice(end);
    this.#pending = this.#pending.slice(0, end);
    this.flush();
    this.#pending = rest;
  }

  flush(): void {
    if (this.#pending !== "") this.#emit({ type: this.#type, text: this.#pending });
    this.#pending = "";
  }
}

function endsInHalf(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}
