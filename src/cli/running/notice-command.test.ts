import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { identify } from "../../runtime/processes/identity.ts";
import { ManualClock } from "../../runtime/time/clock.ts";
import { handTo } from "./notice-command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-notice-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const hand = (command: string, clock?: Clock): Promise<void> =>
  handTo(["sh", "-c", command], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } }, "told\n", clock);

test("a command is handed the text; why one did not take it is said", async () => {
  await hand("cat > got");
  expect(readFileSync(join(folder, "got"), "utf8")).toBe("told\n");
  await expect(hand("echo one >&2; echo two >&2; exit 4")).rejects.toThrow(/^exit code 4: two$/);
  await expect(hand("exit 4")).rejects.toThrow(/^exit code 4$/);
  await expect(handTo(["no-such-notifier"], { cwd: folder, env: {} }, "")).rejects.toThrow("ENOENT");
});

test("one that does not end in time is ended with what it started", async () => {
  const clock = new ManualClock();
  const late = hand("sleep 300 & echo $! > pid; cat > got; wait", clock);
  await expect.poll(() => readFileSync(join(folder, "got"), "utf8")).toBe("told\n");
  clock.advance(limits.noticeMs);
  await expect(late).rejects.toThrow(`it had not ended after ${limits.noticeMs / 1000} s`);
  expect(identify(Number(readFileSync(join(folder, "pid"), "utf8")))).toBeNull();
});
