/** How much of an answer is taken. */
export interface Bound {
  readonly bytes: number;
  /** Of one line, which a reader of lines keeps until it ends. */
  readonly lineBytes?: number;
  /** Told when it breaks off, since not every reader passes that on. */
  readonly broken?: (error: Error) => void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The answer, whose body breaks off where it is larger: no server can fill the memory of its reader. */
export function bounded(answer: Response, bound: Bound): Response {
  return withBody(answer, refusing(bound));
}

/** The answer with at most so many bytes of its body. */
export function beginning(answer: Response, bytes: number): Response {
  return withBody(answer, cutting(bytes));
}

/** The text of an answer; rejects where it is larger. */
export function textWithin(answer: Response, bytes: number): Promise<string> {
  return bounded(answer, { bytes }).text();
}

function withBody({ body, status, statusText, headers }: Response, bound: TransformStream<Bytes, Bytes>): Response {
  return new Response(body === null ? null : body.pipeThrough(bound), { status, statusText, headers });
}

function cutting(most: number): TransformStream<Bytes, Bytes> {
  let left = most;
  return new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function refusing({ bytes, lineBytes = bytes, broken }: Bound): TransformStream<Bytes, Bytes> {
  let all = 0;
  let line = 0;
  return new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(0x0a);
      all += chunk.length;
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (all > bytes || line > lineBytes) {
        const error = new Error("the answer is larger than an answer may be");
        broken?.(error);
        throw error;
      }
      controller.enqueue(chunk);
    },
  });
}
