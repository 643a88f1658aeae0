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
      reader.off("close", brokenOff);
      reader.close();
      err.write("\n");
      resolve(line);
    };
    const brokenOff = (): void => end(null);
    reader.once("line", end).once("SIGINT", brokenOff).once("close", brokenOff);
  });
}
