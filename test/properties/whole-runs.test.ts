import fc from "fast-check";
import { expect, test } from "vitest";
import type { NodeSettled } from "../../src/model/events.ts";
import { isReopenable } from "../../src/model/outcome.ts";
import type { Journal, RunRow } from "../../src/ports/journal.ts";
import type { Engine, Observer, Refusal, ResumeRequest, RunHandle, StartRequest } from "../../src/runtime/api.ts";
import { type Act, request, success, World } from "../runs/harness.ts";
import { callees } from "../runs/inside.ts";
import { type WholeRun, wholeRuns } from "./whole-runs.ts";

type Death = WholeRun["deaths"][number] | undefined;

/**
 * A journal whose process dies at a commit: what was begun before is on the disk,
 * nothing else is written, and nobody hears of either.
 */
function mortal(inner: Journal, death: Death): { readonly journal: Journal; readonly died: Promise<"died"> } {
  const dying = Promise.withResolvers<"died">();
  const never = new Promise<never>(() => undefined);
  const writing = new Set<Promise<unknown>>();
  let commits = 0;
  let dead = false;
  async function commit<T>(write: () => Promise<T>): Promise<T> {
    if (dead) return never;
    commits += 1;
    const dies = commits === death?.commit;
    dead = dies;
    const written = dies && death?.when === "before" ? never : write();
    writing.add(written);
    if (dies) void Promise.all([...writing].filter((one) => one !== never)).then(() => dying.resolve("died"));
    const answer = await written;
    writing.delete(written);
    return dead ? never : answer;
  }
  const journal = new Proxy(inner, {
    get(target, name) {
      if (name === "create" || name === "append" || name === "takeOver")
        return (...args: unknown[]) => commit(() => Reflect.apply(target[name], target, args) as Promise<never>);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { journal, died: dying.promise };
}

type Bound = Pick<StartRequest, "blueprint" | "callees" | "contentHash" | "bindingHash">;
type Decision = NonNullable<ResumeRequest["settle"]>;

/**
 * Carries a run out until it ends, waits for a decision, or its engine dies; no engine
 * goes on with it afterwards. Answers why it was refused.
 */
async function live(
  world: World,
  pid: number,
  { results, deaths, stopAt }: WholeRun,
  begin: (engine: Engine, observer: Observer) => Promise<RunHandle | Refusal>,
): Promise<Refusal | null> {
  let performed = 0;
  const act: Act = async () => {
    performed += 1;
    const mine = results[(performed + pid) % results.length] ?? success;
    for (let turns = performed % 3; turns > 0; turns -= 1) await new Promise(setImmediate);
    return mine;
  };
  const { journal, died } = mortal(world.journal(pid), deaths[pid - 1]);
  let seen = 0;
  let handle: RunHandle | undefined;
  const event = (): void => {
    seen += 1;
    if (seen === stopAt) setImmediate(() => handle?.stop("ann"));
  };
  const begun = await Promise.race([
    begin(world.engine({ "*": act }, pid, journal), { event, progress: () => undefined }),
    died,
  ]);
  const isRefused = begun !== "died" && "refused" in begun;
  if (begun !== "died" && !isRefused) {
    handle = begun;
    await Promise.race([begun.end, died]);
  }
  world.kill(pid);
  return isRefused ? begun : null;
}

/**
 * However often its engine dies and a person has to decide. Answers how it
 * stands at last; null where nothing of it was recorded.
 */
async function carryOut(world: World, whole: WholeRun): Promise<string | null> {
  const { blueprint, callee, settle } = whole;
  const bound: Bound = { blueprint, callees: callees({ callee }), contentHash: "content", bindingHash: "binding" };
  const decisions = [...settle];
  const reader = world.journal(0);
  let pid = 1;
  const refused = await live(world, pid, whole, (engine, observer) =>
    engine.start(request(blueprint, bound), observer),
  );
  if (refused !== null) throw new Error(refused.message);
  for (;;) {
    const [row] = reader.runs(1);
    if (row === undefined) return null;
    const decision = row.endedAt === null ? undefined : decisionOn(reader, row, decisions.pop());
    if (row.endedAt !== null && decision === undefined) return row.status;
    const decided = decision === undefined ? {} : { settle: decision };
    const resume = { run: row.run, ...bound, acceptChanges: false, ...decided };
    pid += 1;
    const refusal = await live(world, pid, whole, (engine, observer) => engine.resume(resume, observer));
    if (refusal !== null && !isUsedUp(refusal, decision)) throw new Error(`${refusal.refused}: ${refusal.message}`);
  }
}

/** What is used up still keeps a node from beginning again, until a pass is granted: then another decision is taken. */
function isUsedUp({ refused, message }: Refusal, decision: Decision | undefined): boolean {
  return decision?.as === "again" && refused === "bad_input" && message.includes("would not begin again");
}

/** About the node at which it halted, where it waits for a decision. */
function decisionOn(
  journal: Journal,
  { run, status }: RunRow,
  as: NodeSettled["as"] | undefined,
): Decision | undefined {
  const halt = [...journal.read(run)].map(({ body }) => body).findLast((body) => body.type === "run.halting");
  if (!isReopenable(status) || as === undefined || halt?.node === undefined) return undefined;
  const grant = as === "again" && halt.reason.code === "cap" ? { grant: 1 } : {};
  return { node: halt.node, as, by: "ann", ...grant };
}

test("whatever happens to a run and to those inside it, their journals are what replaying them gives", async () => {
  const ends = new Set<string | null>();
  await fc.assert(
    fc.asyncProperty(wholeRuns, async (whole) => {
      const world = new World();
      ends.add(await carryOut(world, whole));
      await world.remove();
    }),
    { numRuns: 40 },
  );
  // A suite in which nothing happens would prove nothing.
  expect(ends.size).toBeGreaterThan(3);
}, 240_000);
