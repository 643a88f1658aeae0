import { finished } from "node:stream/promises";
import { ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { limits } from "../../model/limits.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { within } from "../../runtime/time/patience.ts";

/** Speaks to a server over the standard streams of a child in custody. */
export function transportTo(child: LiveProcess): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: limits.mcpMessageBytes });
  const transport: Transport = {
    async start() {
      child.stderr.resume();
      const take = (chunk: Buffer): void => {
        try {
          buffer.append(chunk);
        } catch (error) {
          // A message without end: nothing after it can be understood.
          child.stdout.off("data", take).resume();
          tell(transport, error);
          void child.kill();
          return;
        }
        deliver(buffer, transport);
      };
      child.stdout.on("data", take);
      const read = finished(child.stdout).catch(() => undefined);
      // What it said last comes before its end; something that got away may hold its output open.
      void child.end.then(() => within(systemClock, limits.pipeDrainMs, read)).then(() => transport.onclose?.());
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    close: () => child.kill(),
  };
  return transport;
}

/** What is no message is skipped: some servers print to their standard output. */
function deliver(buffer: ReadBuffer, transport: Transport): void {
  for (;;) {
    try {
      const message = buffer.readMessage();
      if (message === null) return;
      transport.onmessage?.(message);
    } catch (error) {
      tell(transport, error);
    }
  }
}

function tell(transport: Transport, error: unknown): void {
  transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
}
