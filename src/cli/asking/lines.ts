import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** What is typed, a line at a time, read only while somebody waits for one. */
export class Lines {
  /** Set too by whoever sees the end elsewhere. */
  ended = false;
  readonly #input: Readable;

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Null at the end of the input, or once it is aborted. */
  next(signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      if (this.ended || signal.aborted) return resolve(null);
      const reader = createInterface({ input: this.#input, terminal: false });
      const end = (answer: string | null) => {
        // Not all listeners: by its own, the reader lets go of the input when it is closed.
        reader.off("line", end).off("close", close);
        signal.removeEventListener("abort", cancel);
        reader.close();
        resolve(answer);
      };
      const cancel = () => end(null);
      const close = () => {
        this.ended = true;
        end(null);
      };
      signal.addEventListener("abort", cancel, { once: true });
      reader.once("line", end).once("close", close);
    });
  }
}
