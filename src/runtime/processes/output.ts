import type { Readable } from "node:stream";
import type { CapturedText } from "../../model/outcome.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { ProcessSpec } from "../../ports/processes.ts";
import type { Masker } from "../redaction/masker.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { Capture } from "./capture.ts";
import { WholeCharacters } from "./characters.ts";
import { LiveLines } from "./lines.ts";

export interface CapturedOutput {
  readonly output: CapturedText;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
}

type StreamName = "stdout" | "stderr";

/**
 * What a process says: each stream masked, put together in order of arrival, kept within bounds.
 * The joined text passes the mask once more, for a secret of which each stream said a part.
 */
export class ProcessOutput {
  readonly #streams: Readonly<Record<StreamName, OneStream>>;
  readonly #joined: Capture;
  readonly #joinedMask: Masker;
  readonly #full: () => void;
  /** Counts arrivals, so that a waiter can tell silence from a slow reader. */
  arrivals = 0;

  /** `full` is called once nothing more can be kept. */
  constructor(
    spec: Pick<ProcessSpec, "outputBytes" | "onLine">,
    blobs: BlobStore,
    redactor: Redactor,
    full: () => void,
  ) {
    this.#full = full;
    this.#joined = new Capture(blobs, spec.outputBytes);
    this.#joinedMask = redactor.stream();
    const stream = (name: StreamName): OneStream => ({
      mask: redactor.stream(),
      characters: new WholeCharacters(),
      capture: new Capture(blobs, spec.outputBytes),
      lines: spec.onLine === undefined ? null : new LiveLines((line) => spec.onLine?.(line, name)),
    });
    this.#streams = { stdout: stream("stdout"), stderr: stream("stderr") };
  }

  listen(name: StreamName, readable: Readable | null): void {
    readable?.on("data", (bytes: Uint8Array) => this.#arrived(this.#streams[name], bytes));
    // A pipe that breaks has ended; what came before it counts.
    readable?.on("error", () => undefined);
  }

  /** Rejects where the text could not be kept. */
  async finish(): Promise<CapturedOutput> {
    const { stdout, stderr } = this.#streams;
    this.#ended(stdout);
    this.#ended(stderr);
    this.#joined.write(this.#joinedMask.end());
    // One after the other: where only one stream spoke, the joined text is a blob that already exists.
    const said = { stdout: await stdout.capture.finish(), stderr: await stderr.capture.finish() };
    return { ...said, output: await this.#joined.finish() };
  }

  /** After {@link finish} rejected: the last of each text. */
  async remains(): Promise<CapturedOutput> {
    const { stdout, stderr } = this.#streams;
    return {
      stdout: await stdout.capture.remains(),
      stderr: await stderr.capture.remains(),
      output: await this.#joined.remains(),
    };
  }

  #arrived({ mask, characters, capture, lines }: OneStream, bytes: Uint8Array): void {
    this.arrivals += 1;
    const whole = characters.write(mask.write(bytes));
    if (whole.length > 0) this.#keep(capture, lines, whole);
  }

  #ended({ mask, characters, capture, lines }: OneStream): void {
    const rest = Buffer.concat([characters.write(mask.end()), characters.end()]);
    if (rest.length > 0) this.#keep(capture, lines, rest);
    lines?.end();
  }

  #keep(capture: Capture, lines: LiveLines | null, bytes: Uint8Array): void {
    const kept = capture.write(bytes);
    const joined = this.#joinedMask.write(bytes);
    const joinedKept = joined.length === 0 || this.#joined.write(joined);
    if (!kept || !joinedKept) this.#full();
    lines?.write(bytes);
  }
}

interface OneStream {
  readonly mask: Masker;
  readonly characters: WholeCharacters;
  readonly capture: Capture;
  readonly lines: LiveLines | null;
}
