import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import type { LiveProcess } from "../../ports/processes.ts";
import { identify, isAlive } from "./identity.ts";
import { startLive } from "./live.ts";

const started: LiveProcess[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.kill()));
});

async function start(script: string): Promise<LiveProcess> {
  const one = await startLive({
    argv: ["sh", "-c", script],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  if (!("process" in one)) throw new Error(one.message);
  started.push(one);
  return one;
}

async function firstLine({ stdout }: LiveProcess): Promise<string> {
  for await (const chunk of stdout) return String(chunk).trim();
  throw new Error("said nothing");
}

test("it answers while it runs and ends when its input does", async () => {
  const echo = await start('while read -r line; do echo "got $line"; done; exit 7');
  echo.stdin.write("one\n");
  const [first] = await new Promise<[unknown]>((resolve) => echo.stdout.once("data", (data) => resolve([data])));
  expect(String(first)).toBe("got one\n");
  echo.stdin.end("two\n");
  expect(await text(echo.stdout)).toBe("got two\n");
  expect(await echo.end).toEqual({ kind: "exit", code: 7 });
});

test("kill ends what it started in another session too", async () => {
  const one = await start("setsid sleep 300 & echo $!; wait");
  const inner = identify(Number(await firstLine(one)));
  expect(inner).not.toBeNull();
  await one.kill();
  expect(await one.end).toEqual({ kind: "cancelled" });
  expect(inner !== null && isAlive(inner)).toBe(false);
});

test("what it left running ends with it", async () => {
  const one = await start("setsid sleep 300 >/dev/null 2>&1 & echo $!");
  const inner = identify(Number(await firstLine(one)));
  expect(await one.end).toEqual({ kind: "exit", code: 0 });
  expect(inner !== null && isAlive(inner)).toBe(false);
});

test("writing to one that is gone harms nothing", async () => {
  const one = await start("exit 3");
  expect(await one.end).toEqual({ kind: "exit", code: 3 });
  await new Promise<void>((resolve) => one.stdin.write("late", () => resolve()));
});

test("a command that does not exist says so", async () => {
  const none = await startLive({ argv: ["/no/such/program"], cwd: "/", env: {} });
  expect(none).toEqual({ kind: "could_not_start", message: "/no/such/program does not exist" });
});

test("what it said is there for a reader who comes after its end", async () => {
  const one = await start("printf said; printf complained >&2");
  expect(await one.end).toEqual({ kind: "exit", code: 0 });
  expect([await text(one.stdout), await text(one.stderr)]).toEqual(["said", "complained"]);
});
