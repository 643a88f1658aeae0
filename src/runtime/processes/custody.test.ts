import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { endLeftovers, endOrphans, endTree, endTreeOf, treeOf } from "./custody.ts";
import { identify, identifyChild, isAlive, self } from "./identity.ts";
import { custodyOf, custodyVariable, newWord } from "./marker.ts";
import { hasProcfs, type ProcessRow } from "./procfs.ts";
import { listByPs } from "./ps.ts";
import { findMembers, membersByPs } from "./tree.ts";

const bin = path.resolve(import.meta.dirname, "../../../test/fixtures/bin");

interface Started {
  readonly closed: Promise<unknown>;
  readonly exited: Promise<unknown>;
  readonly root: ProcessIdentity;
  readonly tree: ReturnType<typeof treeOf> & { readonly root: ProcessIdentity };
  readonly said: () => string;
}

const started: Started[] = [];

afterEach(async () => {
  for (const { tree } of started.splice(0)) await endTreeOf(tree, 0);
});

function start(script: string, word = newWord()): Started {
  const child = spawn("sh", ["-c", script], {
    detached: true,
    cwd: bin,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], [custodyVariable]: custodyOf(word) },
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exited = once(child, "exit");
  const closed = once(child, "close");
  const root = identifyChild(child.pid ?? -1);
  const one = { exited, closed, root, tree: { ...treeOf(root, word), root }, said: () => said };
  started.push(one);
  return one;
}

async function identityOfPrinted({ said }: Started): Promise<ProcessIdentity> {
  await expect.poll(() => Number(said())).toBeGreaterThan(0);
  const identity = identify(Number(said()));
  if (identity === null) throw new Error(`no process ${said()}`);
  return identity;
}

describe.runIf(hasProcfs)("with /proc", () => {
  test("a daemon (double fork, own session, closed descriptors) is found after its root has ended", async () => {
    const one = start("sleep 0.05; ./daemonize");
    const daemon = await identityOfPrinted(one);
    await one.exited;
    expect(isAlive(daemon)).toBe(true);
    expect(await endLeftovers(one.tree, () => 0)).toEqual([]);
    expect(isAlive(daemon)).toBe(false);
  });

  test("a child in another session without the marker is found through its living parent", async () => {
    const one = start("env -i setsid sleep 300 & wait");
    const sessions = async (): Promise<number> =>
      new Set((await findMembers(one.tree)).map(({ session }) => session)).size;
    await expect.poll(sessions).toBe(2);
    expect(await endTreeOf(one.tree)).toEqual([]);
    expect(await findMembers(one.tree)).toEqual([]);
  });

  test("a child without the marker is found by its session after the root has ended", async () => {
    const one = start("sleep 0.05; set -m; env -i sleep 300 >/dev/null & echo $!");
    const left = await identityOfPrinted(one);
    await one.exited;
    expect(await endLeftovers(one.tree, () => 0)).toEqual([]);
    expect(isAlive(left)).toBe(false);
  });

  test("a tree whose TERM is ignored is ended by KILL", async () => {
    const one = start("exec ./ignore-term");
    await identityOfPrinted(one);
    expect(await endTreeOf(one.tree, 100)).toEqual([]);
    expect(await findMembers(one.tree)).toEqual([]);
  });

  test("what cannot be ended is named, and a process that is not the one seen is never signalled", async () => {
    const bystander = start("exec sleep 300");
    const row = { pid: bystander.root.pid, parent: 1, group: 0, session: 0, startTime: "1", zombie: false };
    const survivors = await endTreeOf({ root: null, carries: () => false }, 0, () => Promise.resolve([row]));
    expect(survivors).toEqual([{ pid: row.pid, startTime: "1", bootId: self().bootId }]);
    expect(isAlive(bystander.root)).toBe(true);
  });

  test("many sessions of one tree end together", async () => {
    const one = start("exec ./fork-many");
    await expect.poll(() => one.said()).toBe("ready\n");
    expect((await findMembers(one.tree)).length).toBeGreaterThan(25);
    expect(await endTreeOf(one.tree)).toEqual([]);
  });

  test("processes that keep starting their successor and leaving are caught", async () => {
    const one = start("exec ./hydra 200");
    await one.exited;
    expect(await endLeftovers(one.tree, () => 0)).toEqual([]);
    expect(await findMembers(one.tree)).toEqual([]);
  });

  test("a later engine finds what a dead one left, though nothing was journaled", async () => {
    const engine = { ...self(), startTime: "1" };
    const one = start("setsid sleep 300 & wait", `${engine.pid}.1.${engine.bootId.slice(0, 8)}.7`);
    await expect.poll(async () => (await findMembers(one.tree)).length).toBe(2);
    expect(await endOrphans(engine)).toEqual([]);
    expect(await findMembers(one.tree)).toEqual([]);
  });

  test("what belongs to a tree is as old as its eldest or younger", async () => {
    const one = start("exec sleep 300");
    const eldest = Number(one.root.startTime);
    const found = async (since: number): Promise<readonly number[]> =>
      (await findMembers({ ...one.tree, root: null, since })).map(({ pid }) => pid);
    expect(await found(eldest)).toEqual([one.root.pid]);
    expect(await found(eldest + 1)).toEqual([]);
  });

  test("an engine that lives keeps its children", async () => {
    const one = start("exec sleep 300");
    expect(await endOrphans(self())).toEqual([]);
    expect(isAlive(one.root)).toBe(true);
  });

  test("a journaled process ends with what it started elsewhere", async () => {
    const one = start("env -u NOTHING setsid sleep 300 & wait");
    await expect.poll(async () => (await findMembers(one.tree)).length).toBe(2);
    expect(await endTree(one.root)).toEqual([]);
    expect(await findMembers(one.tree)).toEqual([]);
  });

  test("a pid that is another process's now is left alone", async () => {
    const one = start("exec sleep 300");
    await endTree({ ...one.root, startTime: "1" });
    await endTree({ ...one.root, bootId: "another boot" });
    expect(isAlive(one.root)).toBe(true);
  });

  test("cleaning up from inside the tree spares the cleaner", async () => {
    const engine = { ...self(), startTime: "1" };
    const word = `${engine.pid}.1.${engine.bootId.slice(0, 8)}.8`;
    const cleaner = `import { endOrphans } from ${JSON.stringify(path.join(import.meta.dirname, "custody.ts"))};
      await endOrphans(${JSON.stringify(engine)}); console.log("alive");`;
    const node = JSON.stringify(process.execPath);
    const one = start(`sleep 300 & cleaned=$(${node} --input-type=module -e '${cleaner}'); echo "$cleaned"`, word);
    await one.closed;
    expect(one.said()).toBe("alive\n");
    expect(await findMembers(one.tree)).toEqual([]);
  });
});

test("by the table of `ps` root, group, session and parents are found", async () => {
  const one = start("setsid sleep 300 & sleep 300 & wait");
  await expect.poll(async () => (await findMembers(one.tree)).length).toBe(3);
  const byPs = membersByPs({ root: psRoot(one.root.pid), carries: () => false });
  const pids = (rows: readonly ProcessRow[]): ReadonlySet<number> => new Set(rows.map(({ pid }) => pid));
  expect(pids(byPs)).toEqual(pids(await findMembers(one.tree)));
  expect(membersByPs({ root: { ...one.root, startTime: "another" }, carries: () => false })).toEqual([]);
});

/** As it is identified where there is no /proc. */
function psRoot(pid: number): ProcessIdentity {
  const row = listByPs(pid)[0];
  if (row === undefined) throw new Error(`ps does not know ${pid}`);
  return { pid, startTime: row.startTime, bootId: self().bootId };
}
