import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import type { Step } from "../fixtures/acp-agent/main.ts";
import { Place, root, start, type Running } from "../e2e/support/cli.ts";
import { works } from "../sandboxes/ground.ts";
import { chances } from "../chaos/chances.ts";

/** In each kind of node; `CHAOS_SEED` brings the same moments back. */
const killsEach = Math.ceil(Number(process.env["CHAOS_KILLS"] ?? 40) / 4);
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

const nodes = ["box", "clone", "work", "agent"] as const;
type Node = (typeof nodes)[number];

const main = join(root, "test", "fixtures", "acp-agent", "main.ts");
const mounts = [root, realpathSync(join(root, "node_modules"))];
const agent = `${process.execPath} ${main} '${JSON.stringify([[{ say: "Done." } satisfies Step]])}'`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const work = "grep -q paid a.txt || echo paid >>a.txt; setsid sleep 300 & sleep 0.6; cat a.txt";

const blueprint = `
name: boxed
entry: box
nodes:
  box: {type: provision, image: host, mount: ${JSON.stringify(mounts)}}
  clone: {type: checkout, container: "{box}", repo: ./repo, path: src}
  work:
    type: exec
    container: "{box}"
    idempotent: true
    workdir: src
    run: ${JSON.stringify(work)}
  agent:
    type: agent_sandbox
    container: "{box}"
    prompt: Do it
    idempotent: true
    command: ${JSON.stringify(`sh -c ${quoted(`${agent}; sleep 0.4`)}`)}
edges:
  - {from: box, to: clone}
  - {from: clone, to: work}
  - {from: work, to: agent}
  - {from: agent, to: END}
`;

function repository(place: Place): void {
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.path("repo") });
  mkdirSync(place.path("repo"));
  place.file("repo/a.txt", "first\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "one");
}

/** What the engine has said of a node: when it began and ended, by the clock of the journal. */
function timesOf(stdout: string, node: Node): { readonly began?: number; readonly ended?: number } {
  const at = (type: string): number | undefined => {
    const line = stdout.split("\n").find((it) => it.includes(`"type":"${type}"`) && it.includes(`"node":"${node}"`));
    return line === undefined ? undefined : Date.parse(/"at":"([^"]+)"/.exec(line)?.[1] ?? "");
  };
  const [began, ended] = [at("node.started"), at("node.ended")];
  return { ...(began === undefined ? {} : { began }), ...(ended === undefined ? {} : { ended }) };
}

/**
 * Processes of the place's boxes: a box sees the place's folder among its mounts, and what makes it names that folder.
 */
function left(place: Place): readonly string[] {
  const word = basename(place.folder);
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const command = read(`/proc/${pid}/cmdline`);
    const belongs = command.includes(word) || read(`/proc/${pid}/mountinfo`).includes(word);
    return belongs ? [`${pid} ${command.replaceAll("\0", " ").slice(0, 300)}`] : [];
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Kills in this node, or in a later one where it has been passed already; answers in which, null where in none. */
async function killIn(running: Running, node: Node, afterMs: number): Promise<Node | null> {
  const from = nodes.slice(nodes.indexOf(node)).join("|");
  await running.until(new RegExp(`"type":"node.started"[^\\n]*"node":"(?:${from})"`));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  running.child.kill("SIGKILL");
  const { stdout } = await running.end;
  return (
    nodes.find((one) => timesOf(stdout, one).began !== undefined && timesOf(stdout, one).ended === undefined) ?? null
  );
}

test.runIf(works("bubblewrap"))(
  `boxes of an engine killed ${killsEach} times in each node end with it or before the next begins; its run goes on (seed ${seed})`,
  async () => {
    const chance = chances(seed);
    const killed: Record<Node, number> = { box: 0, clone: 0, work: 0, agent: 0 };
    const lasts: Record<Node, number> = { box: 150, clone: 150, work: 500, agent: 500 };
    while (nodes.some((node) => killed[node] < killsEach)) {
      using place = new Place();
      repository(place);
      place.file("b.yaml", blueprint);
      let running = start(["run", "-b", "b.yaml", "--json"], { place });
      let run = "";
      let isOver = false;
      for (const node of nodes) {
        if (killed[node] >= killsEach) continue;
        const within = await killIn(running, node, chance() * lasts[node]);
        run ||= /"run":"([^"]+)"/.exec(running.stdout)?.[1] ?? "";
        if (within !== null) killed[within] += 1;
        const orphans = left(place);
        running = start(["resume", run, "--json"], { place });
        isOver = await running.until(/"type":"node.started"/).then(
          () => false,
          () => true,
        );
        // It had come to its end before the signal came.
        if (isOver) break;
        // Whatever the kernel did not end with the engine, the next one ended before it did anything.
        expect(left(place).filter((process) => orphans.includes(process))).toEqual([]);
      }
      const { stdout, stderr } = await running.end;
      expect(stdout + stderr).toMatch(/"status":"succeeded"|has ended: succeeded/);
      // What an engine had no time to put away after the end of a run, the next one that makes boxes does.
      if (!isOver) expectOver(place, run);
    }
    expect(Object.values(killed).every((count) => count >= killsEach)).toBe(true);
  },
  killsEach * 60_000,
);

/** Nothing of the run's boxes is left but the patch, which has what was paid for. */
function expectOver(place: Place, run: string): void {
  expect(left(place)).toEqual([]);
  const folders = ["boxes", "records", "staged"].map((part) => join(place.home, "sandboxes", part));
  expect(folders.filter((it) => existsSync(it)).flatMap((it) => readdirSync(it))).toEqual([]);
  const patch = readFileSync(join(place.home, "artifacts", run, "clone.patch"), "utf8");
  expect(patch.match(/^\+paid$/gm)).toHaveLength(1);
}
