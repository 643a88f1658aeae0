import { describe, expect, it } from "vitest";
import { inboxShape } from "../../src/wire/inbox.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

it("settles a run whose next gate waits then: nobody is asked, and the run is not failed for it", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: settled
entry: a
nodes:
  a: {type: script, run: "kill -9 $PPID", next: ask}
  ask: {type: human, mode: approval, prompt: "Ship it?", next: {success: b, failure: END}}
  b: {type: script, run: echo b > done}
`,
  );
  await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  const { runs } = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as { runs: { run: string }[] };
  const run = runs[0]?.run ?? "";
  expect((await trammel(["resume", run, "--detach"], { place })).code).toBe(3);
  const settled = await trammel(["settle", run, "a", "--as", "done", "--detach", "--json"], { place });
  expect(settled.code).toBe(5);
  expect(lastLine(settled)).toMatchObject({ status: "waiting" });
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
});

describe("doing again what a cap or a limit still forbids", () => {
  const loop = (bounds: string, cap: string): string => `name: mending${bounds}
entry: check
nodes:
  check: {type: script, run: "test $(wc -l < log) -ge 4", next: {success: END, failure: mend}}
  mend: {type: script, ${cap}run: echo mended >> log, next: check}
`;

  async function halted(place: Place, document: string, exit: number): Promise<string> {
    place.file("log", "");
    place.file("b.yaml", document);
    const ran = await trammel(["run", "-b", "b.yaml", "--json"], { place });
    expect(ran.code).toBe(exit);
    return String(lastLine(ran)["run"]);
  }

  const again = (run: string, node: string, ...more: readonly string[]): readonly string[] =>
    ["resolve", run, "--node", node, "--as", "again", "--reason", "more"].concat(more);
  const seq = async (place: Place, run: string): Promise<number> =>
    (await trammel(["logs", run, "--json"], { place })).stdout.split("\n").length;

  it.each([
    ["of the run", "b.yaml", "mend"],
    ["of a run inside", "o.yaml", "sub/mend"],
  ])("is refused at a cap %s with the grant that would do, and recorded by nobody", async (_, file, node) => {
    using place = new Place();
    place.file("log", "");
    place.file("b.yaml", loop("", "cap: 2, "));
    place.file("o.yaml", "name: outer\nnodes:\n  sub: {type: call, blueprint: ./b.yaml}\n");
    const ran = await trammel(["run", "-b", file, "--json"], { place });
    const run = String(lastLine(ran)["run"]);
    const before = await seq(place, run);
    for (const command of [again(run, node), ["settle", run, node, "--as", "again"]]) {
      const refused = await trammel(command, { place });
      expect([refused.code, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toBe(
        `trammel: ${node} of run ${run} would not begin again: its cap of 2 passes is used up; check: exit code 1\n` +
          `  grant passes beyond it: trammel resolve ${run} --node ${node} --as again --grant 1 --reason TEXT\n`,
      );
    }
    expect(await seq(place, run)).toBe(before);
    expect((await trammel(again(run, node, "--grant", "2"), { place })).code).toBe(0);
    expect((await trammel(["replay", run], { place })).code).toBe(0);
  });

  it("is refused at a limit that came with the run, whose hint is a command that helps", async () => {
    using place = new Place();
    place.file("log", "");
    place.file("b.yaml", loop("", ""));
    const ran = await trammel(["run", "-b", "b.yaml", "--max-steps", "2", "--plain"], { place });
    const run = /run (\w+) limit\n/.exec(ran.stderr)?.[1] ?? "";
    expect(ran.stderr).toContain("check: --max-steps is 2, and check would be start 3\n");
    expect(ran.stderr).toContain(`: trammel fork ${run} --at NODE --max-steps N\n`);
    const refused = await trammel(again(run, "check", "--accept-changes"), { place });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`: trammel fork ${run} --at NODE --max-steps N\n`),
    });
    const more = ["--max-steps", "30"];
    expect((await trammel(["fork", run, "--at", "mend", "--keep-tree", ...more], { place })).code).toBe(0);
    place.file("log", "");
    expect((await trammel(["rerun", run], { place })).code).toBe(4);
    expect((await trammel(["rerun", run, ...more], { place })).code).toBe(0);
  });

  it.each([
    ["a cap", loop("", "cap: 2, "), loop("", "cap: 4, "), 3],
    ["a limit", loop("\nlimits: {steps: 3}", ""), loop("\nlimits: {steps: 30}", ""), 4],
  ])("goes on once %s has room, where that is accepted", async (_, document, roomy, exit) => {
    using place = new Place();
    const run = await halted(place, document, exit);
    const waiting = inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout));
    expect(waiting.decisions).toMatchObject([{ run, node: "mend", status: exit === 3 ? "escalated" : "limit" }]);
    expect(await trammel(again(run, "mend"), { place })).toMatchObject({ code: 2 });
    place.file("b.yaml", roomy);
    const changed = await trammel(again(run, "mend"), { place });
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining("\n  add --accept-changes, or ") });
    expect((await trammel(again(run, "mend", "--accept-changes"), { place })).code).toBe(0);
    expect((await trammel(["replay", run], { place })).code).toBe(0);
  });
});

it("tells of a limit of the whole run how to go on, and the command helps", async () => {
  using place = new Place();
  place.file("b.yaml", "name: slow\nnodes: {a: {type: script, run: test -e go || sleep 60}}\n");
  place.file("trammel.yaml", "limits: {time: 300ms}\n");
  const { code, stderr } = await trammel(["run", "-b", "b.yaml"], { place });
  const fork = /: trammel (fork \w+ --at) NODE\n$/.exec(stderr)?.[1]?.split(" ") ?? [];
  expect([code, fork.length]).toEqual([4, 3]);
  expect((await trammel(["inbox"], { place })).stderr).toBe("nothing waits for a person\n");
  place.file("trammel.yaml", "limits: {time: 1h}\n");
  place.file("go", "");
  expect((await trammel([...fork, "a", "--keep-tree"], { place })).code).toBe(0);
});
