import { tmpdir } from "node:os";
import { expect, test } from "vitest";
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
