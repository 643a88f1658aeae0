import { Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk/unstable";
import { limits } from "../../model/limits.ts";
import type { LiveProcess } from "../../ports/processes.ts";

/**
 * What is said between us and an agent. Answers to nothing that was asked are left out, as is what is no message: the
 * SDK would print them as they are, and an agent could write to our user's terminal that way.
 */
export function streamOf({ stdin, stdout }: LiveProcess): Stream {
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
  const { writable, readable } = ndJsonStream(output, input, { maxMessageBytes: limits.acpMessageBytes });
  const asked = new Set<unknown>();
  const note = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message && "id" in message) asked.add(message.id);
      controller.enqueue(message);
    },
  });
  const sieve = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message || ("id" in message && asked.delete(message.id))) controller.enqueue(message);
    },
  });
  // The connection learns of a broken pipe by its reading side.
  note.readable.pipeTo(writable).catch(() => undefined);
  return { writable: note.writable, readable: readable.pipeThrough(sieve) };
}
