import type { WriteStream } from "node:tty";

/** One of the two standard streams. A reader that went away is no fault: what is written from then on is dropped. */
export interface Output {
  readonly terminal: boolean;
  write(text: string): void;
  /** The reader went away. */
  closed(): boolean;
  /** Columns and rows of the terminal now; 80 × 24 where there is none. */
  size(): { readonly columns: number; readonly rows: number };
  onResize(listener: () => void): () => void;
  /** Resolves when everything written has been handed to the system. */
  flush(): Promise<void>;
}

const gone: ReadonlySet<string> = new Set(["EPIPE", "EIO", "EBADF", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** Wraps `process.stdout` or `process.stderr`. */
export function output(stream: WriteStream): Output {
  let closed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!gone.has(error.code ?? "")) process.exitCode ||= 1;
    closed = true;
  });
  return {
    terminal: stream.isTTY === true,
    write(text) {
      if (!closed && text !== "") stream.write(text);
    },
    closed: () => closed,
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    onResize(listener) {
      stream.on("resize", listener);
      return () => void stream.off("resize", listener);
    },
    flush: () =>
      new Promise((resolve) => {
        if (closed || stream.writableLength === 0) return resolve();
        const done = () => resolve();
        stream.once("close", done).once("error", done);
        stream.write("", done);
      }),
  };
}
