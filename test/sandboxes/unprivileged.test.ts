import { execFileSync } from "node:child_process";
import { chownSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, works } from "./ground.ts";

const nobody = 65534;

/** Root may do everything, so what others can do needs somebody else to show it. */
test.runIf(works("bubblewrap") && process.getuid?.() === 0)("a user without privileges has boxes too", () => {
  const folder = newFolder(onTestFinished);
  chownSync(folder, nobody, nobody);
  const user = ["--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"];
  const program = [process.execPath, path.join(import.meta.dirname, "..", "fixtures", "boxes", "as-user.ts"), folder];
  const said = execFileSync("setpriv", [...user, ...program], { encoding: "utf8", cwd: "/" });
  const unlimited = [expect.stringMatching(/^no limit of memory, cpus, pids: /) as string];
  expect(JSON.parse(said)).toEqual({
    uid: nobody,
    check: { works: expect.stringContaining("bubblewrap") as string },
    host: { out: `x\n${nobody}\n`, err: "", end: { kind: "exit", code: 0 }, notes: unlimited },
    "host removed": null,
    rootfs: { out: "x\n0\n", err: "", end: { kind: "exit", code: 0 }, notes: unlimited },
    "rootfs removed": null,
    limit: expect.objectContaining({ fault: expect.stringContaining("limit memory") as string }) as object,
  });
  expect(readdirSync(path.join(folder, "sandboxes", "boxes"))).toEqual([]);
});
