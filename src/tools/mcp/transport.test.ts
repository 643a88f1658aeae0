import { tmpdir } from "node:os";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { LiveProcess } from "../../ports/processes.ts";
import { self } from "../../runtime/processes/identity.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { transportTo } from "./transport.ts";

test("a server whose message never ends is ended, and the fault is told instead of thrown", async () => {
  const command = "head -c 12000000 /dev/zero | tr '\\0' x; exec sleep 600";
  const child = await startLive({
    argv: ["sh", "-c", command],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
  });
  if ("kind" in child) throw new Error(child.kind);
  const transport = transportTo(child);
  const errors: Error[] = [];
  transport.onerror = (error) => errors.push(error);
  const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
  await transport.start();
  await closed;
  expect(await child.end).toEqual({ kind: "cancelled" });
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("maximum size")]);
});

/** A child that has ended before anything that it said is read, as a busy machine sees it. */
function endedChild(): LiveProcess & { readonly stdout: PassThrough } {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const end = Promise.resolve({ kind: "exit", code: 0 } as const);
  return { process: self(), stdin, stdout, stderr, end, kill: () => Promise.resolve() };
}

test("what a server has said before its end is heard before it", async () => {
  const child = endedChild();
  const transport = transportTo(child);
  const heard: string[] = [];
  transport.onmessage = (message) => heard.push("id" in message ? `answer ${message.id}` : "?");
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      heard.push("end");
      resolve();
    };
  });
  await transport.start();
  await child.end;
  setImmediate(() => child.stdout.end('{"jsonrpc": "2.0", "id": 1, "result": {}}\n'));
  await closed;
  expect(heard).toEqual(["answer 1", "end"]);
});

test("an output that somebody else holds open does not hide the end of a server", async () => {
  const child = endedChild();
  const transport = transportTo(child);
  const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
  await transport.start();
  await closed;
  expect(child.stdout.readableEnded).toBe(false);
});
