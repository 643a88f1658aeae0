import type { Blueprint } from "../../model/blueprint.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { EventBody, RunHalting } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { JournalReader } from "../../ports/journal.ts";
import { reasonsOf } from "../../runtime/admission/admit.ts";
import type { SaidUse } from "../../model/outcome.ts";
import type { Money } from "../../model/settings.ts";
import type { RunEnd, Settlement } from "../../runtime/api.ts";
import { withoutItems } from "../../testing/catalog.ts";
import { type LogLine, logTo, readLog } from "../../testing/log.ts";
import { type Line, Script } from "../../testing/script.ts";
import { decisionAbout } from "../../testing/settling.ts";
import { traceAt, tracesOf } from "../../testing/traces.ts";
import { bounded, observe, openStage, requestOf, silent, type Site } from "./perform.ts";
import type { Observed } from "../../testing/judge.ts";
import type { World } from "../world.ts";
import type { SuiteCase } from "./suite.ts";

/** What became of a run after its engine died in it. */
export interface Aftermath {
  /** Null where the engine died before there was a run. */
  readonly observed: Observed | null;
  readonly run: string | null;
  /** Passes that somebody, or a probe, decided to have done again. */
  readonly decided: readonly { readonly path: string; readonly pass: number }[];
  /** Why it could not be brought to an end. */
  readonly problem: string | null;
}

/**
 * Goes on with the run of a dead engine as a person would: resumes it, and decides
 * about what nobody knows by what can be seen outside.
 */
export async function goOn(
  world: World,
  one: SuiteCase,
  site: Site,
  log: string,
  reference: readonly LogLine[],
  stop: AbortSignal,
): Promise<Aftermath> {
  const from = await lastMoment(world, site);
  const services = await openStage(world, one, site, { loose: true, witness: logTo(log, null), from });
  const { journal, engine, stage } = services;
  const decided: { path: string; pass: number }[] = [];
  try {
    const [row] = journal.runs(1);
    if (row === undefined) return { observed: null, run: null, decided, problem: null };
    const { run } = row;
    let end: RunEnd = { run, status: row.status, reason: row.reason };
    let settle: Settlement | undefined;
    for (let tries = 0; tries < limits.crashDecisions; tries += 1) {
      if (end.status === "needs_attention" || isUnsaid(journal, end)) {
        settle = await decide(journal, one, site, run, log, reference);
        if (settle?.as === "again") decided.push({ path: settle.node, pass: passOf(journal, run, settle.node) });
      } else if (end.status !== "interrupted" && end.status !== "waiting") break;
      const { blueprint, contentHash, bindingHash, callees } = requestOf(one, site);
      const bound = { blueprint, contentHash, bindingHash, ...(callees && { callees }) };
      const handle = await engine.resume(
        { ...bound, run, acceptChanges: false, ...(settle === undefined ? {} : { settle }) },
        silent,
      );
      if ("refused" in handle) return { observed: null, run, decided, problem: reasonsOf(handle) };
      end = await bounded(handle, stop);
      settle = undefined;
    }
    decided.push(...probed(journal, run, ""));
    const observed = await observe(services, one, site, end);
    return { observed, run, decided, problem: stage.missing[0] ?? null };
  } finally {
    await services.close();
  }
}

/** Time does not go back for a run that leapt ahead before its engine died. */
async function lastMoment(world: World, { home }: Site): Promise<number> {
  const { openJournal } = await world.compose();
  const journal = openJournal(home, () => undefined);
  try {
    const [row] = journal.runs(1);
    return row === undefined ? 0 : [...journal.read(row.run)].reduce((latest, { at }) => Math.max(latest, at), 0);
  } finally {
    await journal.close();
  }
}

async function decide(
  journal: JournalReader,
  one: SuiteCase,
  site: Site,
  run: string,
  log: string,
  reference: readonly LogLine[],
): Promise<Settlement | undefined> {
  const { node: path = "", unsaid } = haltedAt(journal, run) ?? {};
  const node = one.nodes.get(withoutItems(path));
  const attempt = openAttempt(journal, run, path);
  if (node === undefined || attempt === null) return undefined;
  const traces = await tracesOf(site.tree);
  const script = new Script(one.test);
  const said = script.lineOf(path, node, attempt);
  const what = { path, node, attempt, real: script.isReal(path, node) };
  const digest = (name: string): string | null => traceAt(traces, name);
  const as = decisionAbout(what, { log: readLog(log), reference, digest });
  return {
    node: path,
    as,
    by: "test",
    ...(unsaid && { used: usedBy(as === "again" ? null : said, requestOf(one, site).blueprint) }),
  };
}

/** What the test says of it; what nobody says is nothing. */
function usedBy(said: Line | null, { limits: bounds }: Blueprint): SaidUse {
  const none: Money = { amount: 0, currency: bounds.cost?.currency ?? "USD" };
  const { tokens = 0, cost = none } = said !== null && typeof said === "object" ? said : {};
  return { tokens, cost };
}

/** Whether it is only a word about what was used that keeps the run from going on. */
function isUnsaid(journal: JournalReader, { run, status }: RunEnd): boolean {
  return status === "limit" && haltedAt(journal, run)?.unsaid !== undefined;
}

function haltedAt(journal: JournalReader, run: string): RunHalting | null {
  let halt: RunHalting | null = null;
  for (const { body } of journal.read(run)) if (body.type === "run.halting") halt = body;
  return halt;
}

function passOf(journal: JournalReader, run: string, path: string): number {
  return openAttempt(journal, run, path)?.pass ?? 0;
}

/** The latest attempt at a path, `each[1]/do` in the run of that item. */
function openAttempt(journal: JournalReader, run: string, path: string): Attempt | null {
  const [head = "", ...rest] = path.split("/");
  const [, node = "", item] = /^(.*?)(?:\[(\d+)\])?$/.exec(head) ?? [];
  if (rest.length === 0 && item === undefined) return latest(bodies(journal, run), node);
  const inner = journal
    .runs(Number.MAX_SAFE_INTEGER, run)
    .find(({ parent }) => parent?.node === node && (item === undefined || parent.item === Number(item)));
  return inner === undefined ? null : openAttempt(journal, inner.run, rest.join("/"));
}

function latest(events: Iterable<EventBody>, node: string): Attempt | null {
  let found: Attempt | null = null;
  for (const body of events) if (body.type === "node.started" && body.node === node) found = body;
  return found;
}

function* bodies(journal: JournalReader, run: string): Generator<EventBody> {
  for (const { body } of journal.read(run)) yield body;
}

/** Passes that a probe had done again. */
function probed(
  journal: JournalReader,
  run: string,
  prefix: string,
): readonly { readonly path: string; readonly pass: number }[] {
  const own = [...bodies(journal, run)].flatMap((body) =>
    body.type === "node.settled" && body.as === "again" && body.by === "probe"
      ? [{ path: prefix + body.node, pass: body.pass }]
      : [],
  );
  const inner = journal.runs(Number.MAX_SAFE_INTEGER, run).flatMap((row) => {
    const { node, item } = row.parent ?? { node: "" };
    return probed(journal, row.run, `${prefix}${node}${item === undefined ? "" : `[${item}]`}/`);
  });
  return [...own, ...inner];
}
