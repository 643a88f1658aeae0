import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lastLine, Place, root, start, trammel } from "./support/cli.ts";

const cap = 3;
const agent = join(root, "test/fixtures/acp-agent/main.ts");

/** An agent that counts its starts, apart from Trammel, and mends nothing. `before` is done as it starts. */
function counting(place: Place, before = ""): void {
  const steps = JSON.stringify([[{ say: "Done." }]]);
  const starts = place.path("starts");
  const script = `echo start >> ${starts}; ${before} exec ${process.execPath} ${agent} '${steps}'`;
  place.file("trammel.yaml", JSON.stringify({ agent: { provider: "acp", command: ["sh", "-c", script] } }));
}

function starts(place: Place): number {
  return existsSync(place.path("starts")) ? place.read("starts").split("\n").length - 1 : 0;
}

const loop = (more = "", name = "fix", most: number = cap): string => `name: capped
entry: check
nodes:
  check: {type: script, run: "false", next: {success: END, failure: ${name}}}
  ${name}: {type: agent, cap: ${most}, prompt: Mend it, next: check}
${more}`;
const mirrored = "records: {counters: .claude/counters.json}\n";

function placed(document = loop(), before?: string): Place {
  const place = new Place();
  counting(place, before);
  place.file("b.yaml", document);
  return place;
}

const once = ["run", "t", "-b", "b.yaml", "--task-id", "T1", "--json"] as const;

/** Runs to its end; answers the run. */
async function used(place: Place, args: readonly string[] = once): Promise<string> {
  const ran = await trammel(args, { place });
  expect([ran.code, starts(place)]).toEqual([3, cap]);
  return String(lastLine(ran)["run"]);
}

async function runs(place: Place): Promise<readonly { readonly run: string; readonly status: string }[]> {
  const { stdout } = await trammel(["runs", "--json"], { place });
  return (JSON.parse(stdout) as { readonly runs: readonly { readonly run: string; readonly status: string }[] }).runs;
}

it("a cap is not washed by a second run of the task", async () => {
  using place = placed();
  await used(place);
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by rerun or fork", async () => {
  using place = placed();
  const run = await used(place);
  expect((await trammel(["rerun", run, "--json"], { place })).code).toBe(3);
  expect((await trammel(["fork", run, "--at", "check#1", "--keep-tree", "--json"], { place })).code).toBe(3);
  expect((await trammel(["fork", run, "--at", "fix#1", "--keep-tree", "--json"], { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by a crash and a resume", async () => {
  // The engine dies in the second pass, with its agent.
  using place = placed(loop(), '[ "$(wc -l < starts)" != 2 ] || kill -9 $PPID;');
  expect((await trammel(once, { place })).signal).toBe("SIGKILL");
  const [run] = await runs(place);
  expect((await trammel(["resume", run?.run ?? ""], { place })).code).toBe(3);
  await trammel(["settle", run?.run ?? "", "fix", "--as", "failed"], { place });
  await trammel(once, { place });
  await trammel(once, { place });
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by going on without a grant, nor by a changed document where that is accepted", async () => {
  using place = placed();
  const run = await used(place);
  const again = ["resolve", run, "--node", "fix", "--as", "again", "--reason", "more"];
  expect(await trammel(again, { place })).toMatchObject({ code: 2, stderr: expect.stringContaining("--grant 1 ") });
  expect(starts(place)).toBe(cap);
  // Counts stay where the cap is raised: one more than before, and no more.
  place.file("b.yaml", loop("", "fix", cap + 1));
  expect((await trammel(["rerun", run], { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
  await trammel(once, { place });
  await trammel(once, { place });
  expect(starts(place)).toBe(cap + 1);
});

it("a cap is not washed by a resume with a changed cap", async () => {
  using place = placed(loop(), '[ "$(wc -l < starts)" != 2 ] || kill -9 $PPID;');
  expect((await trammel(once, { place })).signal).toBe("SIGKILL");
  const [run] = await runs(place);
  place.file("b.yaml", loop("", "fix", cap + 1));
  expect((await trammel(["resume", run?.run ?? ""], { place })).code).toBe(2);
  await trammel(["resume", run?.run ?? "", "--accept-changes"], { place });
  await trammel(["settle", run?.run ?? "", "fix", "--as", "failed"], { place });
  await trammel(once, { place });
  await trammel(once, { place });
  expect(starts(place)).toBe(cap + 1);
});

it("a cap is not washed by a missing mirror, and a missing store not where the mirror is there", async () => {
  using place = placed(loop(mirrored));
  await used(place);
  rmSync(place.path(".claude/counters.json"));
  expect((await trammel(once, { place })).code).toBe(3);
  expect(existsSync(place.path(".claude/counters.json"))).toBe(true);
  for (const file of readdirSync(place.home)) rmSync(join(place.home, file), { recursive: true });
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it.each([
  ["cut short", "{"],
  ["of another shape", '{"tasks": {}}'],
  ["empty", ""],
])("a cap is not washed by a mirror that is %s: nothing starts", async (_, text) => {
  using place = placed(loop(mirrored));
  place.file(".claude/counters.json", text);
  expect((await trammel(once, { place })).code).toBe(6);
  expect(starts(place)).toBe(0);
});

it("a cap is not washed by two processes at once", async () => {
  using place = placed();
  const folders = ["one", "two"].map((name) => place.path(name));
  for (const folder of folders) {
    mkdirSync(folder);
    for (const name of ["trammel.yaml", "b.yaml"]) writeFileSync(join(folder, name), readFileSync(place.path(name)));
  }
  const both = folders.map((folder) => start([...once, "--cwd", folder], { place }));
  expect((await Promise.all(both.map((one) => one.end))).map(({ code }) => code)).toEqual([3, 3]);
  expect(starts(place)).toBe(cap);
});

/** As many folders, with one mirror. */
function sharing(place: Place, many: number): readonly string[] {
  place.file("common.json", '{"version": 1, "tasks": {}}');
  return Array.from({ length: many }, (_, index) => {
    const folder = place.path(`folder-${index}`);
    mkdirSync(join(folder, ".claude"), { recursive: true });
    symlinkSync("../../common.json", join(folder, ".claude/counters.json"));
    for (const name of ["trammel.yaml", "b.yaml"]) writeFileSync(join(folder, name), readFileSync(place.path(name)));
    return folder;
  });
}

const inStore = (place: Place, folder: string, store: number) =>
  start([...once, "--cwd", folder], { place, env: { TRAMMEL_HOME: place.path(`store-${store}`) } });

it("a cap is not washed by eight processes of four stores that share a mirror", async () => {
  using place = placed(loop(mirrored));
  const all = sharing(place, 8).map((folder, index) => inStore(place, folder, index % 4));
  const ends = await Promise.all(all.map((one) => one.end));
  expect(ends.map(({ code, stderr }) => (code === 3 ? code : stderr))).toEqual(all.map(() => 3));
  expect(starts(place)).toBe(cap);
  const { tasks } = JSON.parse(place.read("common.json")) as { readonly tasks: unknown };
  expect(tasks).toEqual({ T1: { fix: { passes: cap, cap } } });
});

it("a cap is not washed by engines of several stores that die while they share a mirror", async () => {
  // Every agent kills the engine that started it.
  using place = placed(loop(mirrored), "kill -9 $PPID;");
  const all = sharing(place, 6).map((folder, index) => inStore(place, folder, index % 3));
  const ends = await Promise.all(all.map((one) => one.end));
  expect(ends.filter(({ signal }) => signal === "SIGKILL")).toHaveLength(cap);
  expect(ends.filter(({ code }) => code === 3)).toHaveLength(all.length - cap);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by a new name, nor by going back to the old one", async () => {
  using place = placed(loop(mirrored, "fix", 2));
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(2);
  place.file("b.yaml", loop(mirrored, "mend").replace("type: agent,", "type: agent, was: fix,"));
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
  place.file("b.yaml", loop(mirrored));
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by arms that lead to one node", async () => {
  using place = placed(`name: arms
entry: begin
nodes:
  begin: {type: script, run: "true", next: [left, right]}
  left: {type: script, run: "true", next: fix}
  right: {type: script, run: "sleep 0.1", next: fix}
  fix: {type: agent, cap: ${cap}, join: any, losers: drain, prompt: Mend it, next: begin}
limits: {steps: 100}
`);
  expect((await trammel(once, { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by calls: they count under the path of their node", async () => {
  using place = placed(`name: outer
entry: again
nodes:
  again: {type: script, run: "true", next: sub}
  sub: {type: call, blueprint: ./inner.yaml, next: {success: again, failure: END}}
limits: {steps: 100}
`);
  place.file("inner.yaml", `name: inner\nentry: fix\nnodes:\n  fix: {type: agent, cap: ${cap}, prompt: Mend it}\n`);
  const run = await used(place);
  expect((await trammel(["rerun", run], { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});

it("a cap is not washed by a resume under a new name of the blueprint, which goes on counting with the others", async () => {
  using place = placed(loop(), '[ "$(wc -l < starts)" != 1 ] || kill -9 $PPID;');
  expect((await trammel(once, { place })).signal).toBe("SIGKILL");
  const [run] = await runs(place);
  const [folder = ""] = sharing(place, 1);
  place.file("b.yaml", loop("", "fix", 2));
  expect((await trammel([...once, "--cwd", folder], { place })).code).toBe(3);
  expect(starts(place)).toBe(2);
  place.file("b.yaml", loop().replace("name: capped", "name: renamed"));
  expect((await trammel(["resume", run?.run ?? "", "--accept-changes"], { place })).code).toBe(3);
  expect((await trammel(["settle", run?.run ?? "", "fix", "--as", "done"], { place })).code).toBe(3);
  expect(starts(place)).toBe(cap);
});
