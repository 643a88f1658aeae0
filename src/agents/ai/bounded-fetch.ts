import { limits } from "../../model/limits.ts";

const nameIt = "if it is to be used, name it as baseUrl";

/**
 * `fetch` that goes to no other address than the one it is given, whatever that one says: the vendors' own headers for keys
 * would go along. And that no server can fill the memory with: of an answer that refuses, the beginning is read; one that goes on beyond
 * `limits.agentAnswerBytes`, or holds a line beyond `limits.agentAnswerLineBytes`, which would be kept until it ends, breaks off.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const { body, ok, status, statusText, headers } = await fetch(input, { ...init, redirect: "manual" });
  const to = status >= 300 && status < 400 ? headers.get("location") : null;
  if (to !== null) throw new Error(`the provider sends on to ${to}, which gets neither key nor prompt; ${nameIt}`);
  if (body === null) return new Response(null, { status, statusText, headers });
  const bound = ok ? refusingBound() : cuttingBound(limits.agentRefusalBytes);
  return new Response(body.pipeThrough(bound), { status, statusText, headers });
};

type Bytes = Uint8Array<ArrayBuffer>;

function cuttingBound(most: number): TransformStream<Bytes, Bytes> {
  let left = most;
  return new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function refusingBound(): TransformStream<Bytes, Bytes> {
  let all = 0;
  let line = 0;
  return new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(0x0a);
      all += chunk.length;
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (all > limits.agentAnswerBytes || line > limits.agentAnswerLineBytes)
        throw new Error("the provider's answer is larger than an answer may be");
      controller.enqueue(chunk);
    },
  });
}
