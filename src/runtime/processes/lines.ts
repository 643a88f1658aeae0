import { limits } from "../../model/limits.ts";
import { openCharacterBytes } from "./characters.ts";

/**
 * Lines of one stream for a screen, given in whole characters: each bounded, and of a flood only the latest of each
 * piece. Of a line that overwrites itself with carriage returns the last state counts.
 */
export class LiveLines {
  readonly #tell: (line: string) => void;
  #open = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  write(bytes: Uint8Array): void {
    const lines = (this.#open + Buffer.from(bytes).toString()).split("\n");
    this.#open = bounded(lines.pop() ?? "");
    for (const line of lines.slice(-limits.liveLinesPerPiece)) this.#tell(bounded(shown(line)));
  }

  end(): void {
    if (this.#open !== "") this.#tell(bounded(shown(this.#open)));
    this.#open = "";
  }
}

function shown(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf("\r") + 1);
}

function bounded(line: string): string {
  if (line.length <= limits.previewBytes / 4) return line;
  const bytes = Buffer.from(line).subarray(0, limits.previewBytes);
  return bytes.subarray(0, bytes.length - openCharacterBytes(bytes)).toString();
}
