import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Readable } from "node:stream";
import type { Output } from "../output.ts";

/** A line typed at the terminal that does not show what is typed; null where it was broken off or the input ended. */
export function hiddenLine(input: Readable, err: Output, prompt: string): Promise<string | null> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: true });
  err.write(prompt);
  return new Promise((resolve) => {
    const end = (line: string | null): void => {
      reader.removeAllListeners();
      reader.close();
      err.write("\n");
      resolve(line);
    };
    reader.once("line", end);
    reader.once("SIGINT", () => end(null));
    reader.once("close", () => end(null));
  });
}
