import { existsSync } from "node:fs";
import type { Blueprint } from "../../model/blueprint.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { limits } from "../../model/limits.ts";
import type { RunChanges, UndoRefusal, WholeUndone } from "../../runtime/workspace/changes.ts";
import { GitFailure } from "../../runtime/workspace/git.ts";
import { systemIds } from "../../runtime/ids.ts";
import { self } from "../../runtime/processes/identity.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { shownName } from "../../runtime/tree/names.ts";
import type { IdleSpan } from "../../model/idle-span.ts";
import { idleSpans } from "../../views/idle.ts";
import { inert } from "../../views/inert.ts";
import { dataHome } from "../store/home.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { openStore, readingRun } from "../store/stored-run.ts";
import type { World } from "../world.ts";

/** Prints what a run changed in its tree. */
export function diff(world: World, text: string): Promise<number> {
  return withChanges(world, text, async ({ changes }) => {
    const bytes = await changes.diff();
    world.out.write(world.out.terminal ? inert(bytes.toString()) : bytes);
    return exitCodes.ok;
  });
}

export interface UndoOptions {
  readonly force?: true;
}

/** Takes back what a run changed in its tree, and nothing else. */
export function undo(world: World, text: string, options: UndoOptions): Promise<number> {
  return withChanges(world, text, async ({ row, changes, idle }) => {
    const undone = await holding(world, row, () => changes.undo({ ...options, idle }));
    if ("busy" in undone) return report(world, usage(undone.busy, "wait until it is over, or stop it"));
    if ("refused" in undone) return report(world, refusal(row.run, undone));
    const { paths, left, ref } = undone;
    if (paths.length === 0) {
      world.err.write(`nothing of run ${row.run} is left in the tree\n${stays(undone)}`);
      return exitCodes.ok;
    }
    if (left.length > 0)
      return report(world, usage(`could not be put back: ${list(left)}`, `The tree as it was: ${ref}`));
    world.err.write(
      `took back ${list(paths)}\n  The tree as it was before is kept: git show ${ref}:PATH\n${stays(undone)}`,
    );
    return exitCodes.ok;
  });
}

/**
 * Does it in the turn of the tree, so that meanwhile no run begins or goes on there and nobody else takes anything
 * back. `busy` says who is there already.
 */
async function holding<T>(world: World, row: RunRow, work: () => Promise<T>): Promise<T | { readonly busy: string }> {
  if (row.status === "running" || row.status === "waiting") return { busy: `run ${row.run} is not over` };
  const { blueprint, tree } = row;
  const run = systemIds(systemClock).run();
  const wanted = { run, blueprint: `undo of ${blueprint}`, tree, key: null, owner: self() };
  const journal = await openStore(world);
  try {
    await journal.enter(wanted);
    const [first] = journal.ahead(wanted);
    return first === undefined ? await work() : { busy: first.what };
  } finally {
    await journal.leave(run);
    await journal.close();
  }
}

interface Found {
  readonly row: RunRow;
  readonly changes: RunChanges;
  readonly idle: readonly IdleSpan[];
}

function withChanges(world: World, text: string, act: (found: Found) => Promise<number>): Promise<number> {
  return readingRun(world, text, async (row, journal) => {
    if (row.parent !== undefined) {
      const { node, run } = row.parent;
      return report(
        world,
        usage(
          `run ${row.run} is part of ${node} in run ${run}`,
          `What changed is told of all of it: trammel diff ${run}`,
        ),
      );
    }
    try {
      return await actOn(world, journal, row, act);
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      const hint = "Mend that, and ask again; nothing was taken back.";
      return report(world, usage(`what the run changed cannot be told: ${error.message}`, hint));
    }
  });
}

async function actOn(
  world: World,
  journal: JournalReader,
  row: RunRow,
  act: (found: Found) => Promise<number>,
): Promise<number> {
  const found = await changesIn(world, journal, row);
  if (isProblem(found)) return report(world, found);
  const { changes, blueprint } = found;
  try {
    return await act({ row, changes, idle: idleSpans(journal.read(row.run), blueprint) });
  } finally {
    await changes.dispose();
  }
}

async function changesIn(
  world: World,
  journal: JournalReader,
  row: RunRow,
): Promise<{ readonly changes: RunChanges; readonly blueprint: Blueprint | null } | Problem> {
  const [first] = journal.read(row.run);
  if (first?.body.type !== "run.started") return usage(`the journal of run ${row.run} does not begin with its start`);
  const document = journal.definition(row.definition);
  const [{ changesOf }, { readKept }] = await Promise.all([
    import("../../runtime/workspace/changes.ts"),
    import("../plugins/plugins.ts"),
  ]);
  const kept = document === null ? null : await readKept(world, row.cwd, document);
  const records = kept?.records ?? {};
  const { env } = world;
  const place = { home: dataHome(env, world.cwd), env, records, record: first.body.cassettes };
  const changes = await changesOf({ ...place, run: row.run, started: first.body, ended: row.endedAt !== null });
  if (changes === null) return usage(`nothing tells what run ${row.run} changed`, whyUntold(row));
  return { changes, blueprint: kept };
}

function whyUntold({ run, tree, cwd }: RunRow): string {
  if (!existsSync(cwd)) return `${cwd} is not there. Put it back, as by mounting its disk, and ask again.`;
  return tree === null
    ? "This is kept for runs that have a git working tree to themselves: those with agents, git nodes, writes or isolate: worktree."
    : `No pictures of it, refs/trammel/${run}, are in ${tree}: it is no repository, they could not be taken, or they are gone.`;
}

function refusal(run: string, refused: UndoRefusal): Problem {
  switch (refused.refused) {
    case "touched":
      return usage(
        `since run ${run} others changed ${list(refused.paths)}`,
        "--force takes them back all the same, and keeps the tree as it is now under a ref.",
      );
    case "unended":
      return usage(
        `nothing tells how run ${run} left the tree, so what it changed cannot be told from what others changed since`,
        "Go on with the run, or take back all that changed since it began with --force; a copy is kept under a ref.",
      );
    case "gone":
      return usage(
        `the worktree of run ${run} is gone: ${refused.root}`,
        "Nothing of it is in your tree; trammel diff shows what it did.",
      );
  }
}

/** What was not taken back, as lines. */
function stays({ others, repositories: { made, gone } }: WholeUndone): string {
  const lines = [
    others.length === 0
      ? ""
      : `  Others changed this while the run waited, and it stays without --force: ${list(others)}\n`,
    gone.length === 0 ? "" : `  No repository any more, and its commits do not come back: ${list(gone)}\n`,
    made.length === 0 ? "" : `  A repository since the run began, whose .git stays: ${list(made)}\n`,
  ];
  return lines.join("");
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, limits.evidenceLines).map(shownName).join(", ");
  return paths.length <= limits.evidenceLines ? shown : `${shown} and ${paths.length - limits.evidenceLines} more`;
}
