import type { WriteStream } from "node:tty";
import { systemCode } from "../model/thrown.ts";
import { ascii, isAscii } from "../views/ascii.ts";
import { coloured } from "../views/inert.ts";

/** One of the two standard streams. A reader that went away is no fault: what is written from then on is dropped. */
export interface Output {
  readonly terminal: boolean;
  /** On a terminal what it would obey is left out, but for colours: a name or a message may hold anything. */
  write(text: string | Uint8Array): void;
  /** As it is, to move about on a terminal. */
  draw(frame: string): void;
  /** The reader went away, or nothing more can be written. */
  closed(): boolean;
  /**
   * Why what was written is not all there, such as a full disk; null while it is, and where only the reader went away.
   */
  fault(): string | null;
  /** Columns and rows of the terminal now; 80 × 24 where there is none. */
  size(): { readonly columns: number; readonly rows: number };
  onResize(listener: () => void): () => void;
  /** Resolves when everything written has been handed to the system. */
  flush(): Promise<void>;
}

const gone: ReadonlySet<string> = new Set(["EPIPE", "EIO", "EBADF", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** Wraps `process.stdout` or `process.stderr`. */
export function output(stream: WriteStream, env: NodeJS.ProcessEnv): Output {
  let closed = false;
  let fault: string | null = null;
  stream.on("error", (error: Error) => {
    if (!gone.has(systemCode(error) ?? "")) fault ??= error.message;
    closed = true;
  });
  const terminal = stream.isTTY === true;
  const signs = terminal && isAscii(env) ? ascii : (text: string) => text;
  const put = (text: string | Uint8Array) => {
    if (!closed && text.length > 0) stream.write(text);
  };
  return {
    terminal,
    write: (text) =>
      put(terminal ? signs(coloured(typeof text === "string" ? text : Buffer.from(text).toString())) : text),
    draw: (frame) => put(signs(frame)),
    closed: () => closed,
    fault: () => fault,
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    onResize(listener) {
      stream.on("resize", listener);
      return () => void stream.off("resize", listener);
    },
    flush: () =>
      new Promise((resolve) => {
        const done = () => resolve();
        // Not at once: a stream tells of a failed write one turn later.
        if (closed || stream.writableLength === 0) return void setImmediate(done);
        stream.once("close", done).once("error", done);
        stream.write("", done);
      }),
  };
}
