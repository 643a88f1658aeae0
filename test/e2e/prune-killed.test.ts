import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { artifactsShape } from "../../src/wire/artifacts.ts";
import { pruneShape } from "../../src/wire/prune.ts";
import { receiptShape } from "../../src/wire/receipt.ts";
import { runListShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

const isolated = (word: string, last: string) => `name: isolated
workspace: {isolate: worktree}
entry: work
nodes:
  work: {type: script, run: 'echo new > made.txt; yes ${word} | head -n 10000', next: last}
  last: {${last}}
`;

function git(place: Place, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", place.path("project"), ...args], { encoding: "utf8" }).trim();
}

async function ran(place: Place, text: string, ...options: string[]): Promise<string> {
  place.file("project/b.yaml", text);
  const done = await trammel(["run", "-b", "b.yaml", "--cwd", "project", "--json", ...options], { place });
  return String(lastLine(done)["run"]);
}

async function outputsOf(place: Place, run: string) {
  const { stdout } = await trammel(["artifacts", run, "--json"], { place });
  return artifactsShape.parse(JSON.parse(stdout)).artifacts.flatMap(({ file }) => file ?? []);
}

/** Whether each run that the journal lists has all that it had, or that it was meant to lose. */
async function isWhole(place: Place, kept: string): Promise<void> {
  const { stdout } = await trammel(["runs", "--json"], { place });
  for (const { run } of runListShape.parse(JSON.parse(stdout)).runs) {
    const receipt = await trammel(["receipt", run], { place });
    place.file("r.json", receipt.stdout);
    expect(await trammel(["verify", "r.json"], { place })).toMatchObject({ code: 0 });
  }
  expect((await outputsOf(place, kept)).map((file) => existsSync(file))).toEqual([true]);
  expect(existsSync(join(place.home, "worktrees", kept, "made.txt"))).toBe(true);
}

it("leaves nothing half wherever it is killed, and the next one removes the rest", async () => {
  using place = new Place();
  place.file("project/code.txt", "one\n");
  git(place, "init", "-q", "-b", "main");
  git(place, "add", "code.txt");
  git(place, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one");
  place.file("project/.git/info/exclude", "b.yaml\ntrammel.yaml\n");
  const gone = await ran(place, isolated("gone", "type: script, run: 'false'"));
  const kept = await ran(place, isolated("kept", 'type: human, prompt: "Go on?"'), "--detach");
  const outputs = [await outputsOf(place, gone), await outputsOf(place, kept)].flat();
  for (const file of outputs) utimesSync(file, 1, 1);
  place.file("trammel.yaml", "retention: {history: 1ms}\n");
  place.file(".config/trammel/config.yaml", "retention: {history: 1ms}\n");
  const [saved, count] = [`${place.folder}-saved`, place.path("steps")];
  cpSync(place.folder, saved, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const preload = { NODE_OPTIONS: `--require ${join(import.meta.dirname, "support/die-at.cjs")}` };
  const prune = (env: Readonly<Record<string, string>>) => trammel(["prune", "--json"], { place, env });
  try {
    const whole = await prune({ ...preload, DIE_COUNT: count });
    const expected = pruneShape.parse(JSON.parse(whole.stdout));
    expect(expected).toMatchObject({
      history: [gone],
      refs: 2,
      blobs: 1,
      worktrees: [join(place.home, "worktrees", gone)],
    });
    const steps = Number(readFileSync(count, "utf8"));
    expect(steps).toBeGreaterThan(5);
    for (let step = 1; step <= steps; step += 1) {
      rmSync(place.folder, { recursive: true });
      cpSync(saved, place.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      expect(await prune({ ...preload, DIE_AT: String(step) })).toMatchObject({ stdout: "" });
      await isWhole(place, kept);
      expect((await prune({})).stderr).toBe("");
      const left = [
        git(place, "for-each-ref", "--format=%(refname)", "refs/trammel", `refs/heads/trammel/${gone}`),
        git(place, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length,
        readdirSync(join(place.home, "worktrees")).toSorted(),
        outputs.map((file) => existsSync(file)),
      ];
      const start = `refs/trammel/${kept}/start`;
      expect([step, ...left]).toEqual([step, start, 2, [kept, `${kept}.json`], [false, true]]);
    }
  } finally {
    rmSync(saved, { recursive: true, force: true });
  }
}, 300_000);

it("says in a receipt which outputs are no longer kept", async () => {
  using place = new Place();
  place.file("b.yaml", "name: say\nentry: say\nnodes:\n  say: {type: script, run: 'yes no | head -n 10000'}\n");
  const run = String(lastLine(await trammel(["run", "-b", "b.yaml", "--json"], { place }))["run"]);
  const [file = ""] = await outputsOf(place, run);
  utimesSync(file, 1, 1);
  place.file("trammel.yaml", "retention: {runs: 1ms}\n");
  expect((await trammel(["prune"], { place })).code).toBe(0);
  const { stdout } = await trammel(["receipt", run, "--out", "r.json"], { place });
  const receipt = receiptShape.parse(JSON.parse(stdout === "" ? place.read("r.json") : stdout));
  expect(receipt.gone).toEqual([file.split("/").slice(-2).join("")]);
  const verified = await trammel(["verify", "r.json"], { place });
  expect(verified).toMatchObject({
    code: 0,
    stderr: "a full output that its records name had been removed when it was written\n",
  });
});
