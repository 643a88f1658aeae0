import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pruneShape } from "../../src/wire/prune.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

const isolated = (run: string, setup = "true") => `name: isolated
workspace: {isolate: worktree, setup: '${setup}'}
entry: work
nodes:
  work: {type: script, run: '${run}'}
`;

function repository(): Place {
  const place = new Place();
  place.file("code.txt", "one\n");
  place.file(".gitignore", ".home\n.config\ntrammel.yaml\n");
  for (const args of ["init -q -b main", "add .", "-c user.name=a -c user.email=a@b commit -q -m one"])
    place.git(...args.split(" "));
  return place;
}

async function ran(place: Place, text: string, ...options: string[]): Promise<string> {
  place.file("b.yaml", text);
  return String(lastLine(await trammel(["run", "-b", "b.yaml", "--json", ...options], { place }))["run"]);
}

async function pruned(place: Place, ...options: string[]) {
  const { code, stdout, stderr } = await trammel(["prune", "--json", ...options], { place });
  expect([code, stderr]).toEqual([0, ""]);
  return pruneShape.parse(JSON.parse(stdout));
}

function pidsIn(place: Place, file: string): readonly string[] {
  return existsSync(place.path(file)) ? place.read(file).trim().split("\n") : [];
}

/** One that is gone may not have been looked after yet by whoever took it over. */
function isAtWork(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const worktreesOf = (place: Place): readonly string[] =>
  existsSync(join(place.home, "worktrees")) ? readdirSync(join(place.home, "worktrees")).toSorted() : [];
const refsOf = (place: Place): string => place.git("for-each-ref", "--format=%(refname)", "refs/trammel");

it("takes pictures and worktrees along with the runs that leave the history, and those of no run that may go on", async () => {
  using place = repository();
  const failed = await ran(place, isolated("echo new > made.txt; false"));
  const parked = await ran(
    place,
    `${isolated("echo new > made.txt")}  ask: {type: human, prompt: "Go on?"}\nedges: [{from: work, to: ask}]\n`,
    "--detach",
  );
  expect(worktreesOf(place)).toEqual([failed, `${failed}.json`, parked, `${parked}.json`].toSorted());
  place.file("trammel.yaml", "retention: {history: 1ms}\n");
  const dry = await pruned(place, "--dry-run");
  expect(dry).toMatchObject({ history: [failed], worktrees: [join(place.home, "worktrees", failed)], refs: 2 });
  expect(refsOf(place)).toContain(`refs/trammel/${failed}/start`);
  expect(await pruned(place)).toEqual({ ...dry, dryRun: false });
  expect(worktreesOf(place)).toEqual([parked, `${parked}.json`].toSorted());
  expect(refsOf(place)).not.toContain(failed);
  expect(refsOf(place)).toContain(`refs/trammel/${parked}/start`);
  expect(place.git("worktree", "list").split("\n")).toHaveLength(2);
  expect((await trammel(["answer", parked, "ask", "yes"], { place })).code).toBe(0);
});

it("removes the worktree that a crash left before its run began, and leaves that of one which is beginning", async () => {
  using place = repository();
  place.file(
    "b.yaml",
    isolated("true", 'echo $$ >> "$TRAMMEL_HOLD.pids"; until test -e "$TRAMMEL_HOLD"; do sleep 0.02; done').replaceAll(
      "$TRAMMEL_HOLD",
      place.path("go"),
    ),
  );
  const [killed, beginning] = [start(["run", "-b", "b.yaml"], { place }), start(["run", "-b", "b.yaml"], { place })];
  await expect.poll(() => worktreesOf(place).filter((name) => !name.endsWith(".json")).length).toBe(2);
  const atWork = (): number => pidsIn(place, "go.pids").filter(isAtWork).length;
  await expect.poll(atWork).toBe(2);
  killed.child.kill("SIGKILL");
  await killed.end;
  const next = await trammel(["run", "-b", "b2.yaml"], { place: (place.file("b2.yaml", isolated("true")), place) });
  expect(next.stderr).toMatch(/removed the worktree of run \S+, which a crash kept from beginning/);
  expect(worktreesOf(place).filter((name) => !name.endsWith(".json"))).toHaveLength(1);
  // Nothing is left at work where it was.
  expect(atWork()).toBe(1);
  writeFileSync(place.path("go"), "");
  expect((await beginning.end).code).toBe(0);
  expect(worktreesOf(place)).toEqual([]);
});

it("removes indices of trees that are gone or long unused, and says it in words", async () => {
  using place = repository();
  await ran(
    place,
    "name: b\nworkspace: {checkpoint: true}\nentry: a\nnodes:\n  a: {type: script, run: echo two > code.txt}\n",
  );
  const [index = ""] = readdirSync(join(place.home, "trees"));
  expect(await pruned(place)).toMatchObject({ trees: 0 });
  for (const file of ["index", "root"]) utimesSync(join(place.home, "trees", index, file), 1, 1);
  const said = await trammel(["prune", "--dry-run"], { place });
  expect(said.stderr).toBe("would remove 0 from the history, 0 pictures of trees, 1 index, 0 blobs, 0B\n");
  expect(await pruned(place)).toMatchObject({ trees: 1 });
  expect(readdirSync(join(place.home, "trees"))).toEqual([]);
});

const branchesOf = (place: Place): string => place.git("branch", "--list", "trammel/*", "--format=%(refname:short)");

it("leaves no branch and no record of Git of a worktree that is gone, when its run is stopped and when it is pruned", async () => {
  using place = repository();
  place.file("b.yaml", isolated("touch began; sleep 60"));
  const running = start(["run", "-b", "b.yaml", "--json"], { place });
  await expect.poll(() => worktreesOf(place).length).toBe(2);
  const run = worktreesOf(place)[0] ?? "";
  const folder = join(place.home, "worktrees", run);
  await expect.poll(() => existsSync(join(folder, "began"))).toBe(true);
  running.child.kill("SIGKILL");
  await running.end;
  rmSync(folder, { recursive: true });
  expect(branchesOf(place)).toBe(`trammel/${run}`);
  expect((await trammel(["stop", run], { place })).code).toBe(0);
  expect([branchesOf(place), place.git("worktree", "list").split("\n").length, worktreesOf(place)]).toEqual([
    "",
    1,
    [],
  ]);

  const failed = await ran(place, isolated("false"));
  rmSync(join(place.home, "worktrees", failed), { recursive: true });
  place.file("trammel.yaml", "retention: {history: 1ms}\n");
  expect((await pruned(place)).worktrees).toEqual([join(place.home, "worktrees", failed)]);
  expect([branchesOf(place), place.git("worktree", "list").split("\n").length, worktreesOf(place)]).toEqual([
    "",
    1,
    [],
  ]);
});
