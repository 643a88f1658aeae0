import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { git } from "./git.ts";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "trammel-git-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(place, { recursive: true, force: true });
});

test.each(["exec sleep 60", "exit 0"])(
  "a git whose time is over is waited for, what it left running with its streams is not (%s)",
  async (rest) => {
    const [began, go, gone] = [join(place, "began"), join(place, "go"), join(place, "gone")];
    const left = `{ touch '${began}'; while test -d '${place}' -a ! -e '${go}'; do sleep 0.02; done; touch '${gone}'; } &`;
    const time = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(time.signal);
    const options = { cwd: place, env: process.env, timeoutMs: 300 };
    const failing = git(["-c", `alias.left=!${left} ${rest}`, "left"], options).catch((error: unknown) => error);
    await expect.poll(() => existsSync(began)).toBe(true);
    time.abort();
    expect(await failing).toMatchObject({ name: "GitFailure", isSlow: true, message: "git -c took more than 0.3 s" });
    expect(existsSync(gone)).toBe(false);
    writeFileSync(go, "");
    await expect.poll(() => existsSync(gone)).toBe(true);
  },
);
