import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { check } from "../../check/check.ts";
import type { GateAnswered, ProcessIdentity } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { Journal, RunRow } from "../../ports/journal.ts";
import { type AnswerFate, answerFate, pastAnswer } from "../../views/answer-fate.ts";
import { openGates } from "../../views/open-gates.ts";
import { decidedInside } from "../inside.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { findRun, openStore } from "../stored-run.ts";
import { typedAnswer } from "../typed-answer.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";
import { resume, type ResumeOptions } from "./resume.ts";

/**
 * Answers a gate. The process that executes the run takes the answer from its mailbox; a parked run goes on here, to its end or to the
 * next gate. Succeeds only where this very answer is the one that was recorded.
 */
export async function answer(
  world: World,
  run: string,
  node: string,
  text: string,
  options: ResumeOptions,
): Promise<number> {
  const inside = decidedInside(world);
  if (inside !== null) return report(world, inside);
  const journal = await openStore(world);
  try {
    const row = findRun(journal, run);
    if (isProblem(row)) return report(world, row);
    const given = await answerTo(journal, row, node, text);
    if ("problem" in given) return report(world, given.problem);
    const { isAlive } = await world.compose();
    return await give({ world, journal, isAlive, run: row.run, ...given }, options);
  } finally {
    await journal.close();
  }
}

interface Giving extends Given {
  readonly world: World;
  readonly journal: Journal;
  readonly isAlive: (process: ProcessIdentity) => boolean;
  readonly run: string;
}

/** An owner may end before it takes what is in its mailbox, and another may take the run over first: each is tried in turn. */
async function give(giving: Giving, options: ResumeOptions): Promise<number> {
  const { world, journal, run, answer } = giving;
  for (let posted = false; ;) {
    if (isExecuted(giving)) {
      if (!posted) await journal.post(run, answer);
      posted = true;
      const fate = await fateElsewhere(giving);
      if (fate === "late") return report(world, notYet(giving));
      if (fate !== "left") return tell(giving, fate);
    }
    const exit = await resume(world, run, { ...options, detach: true }, { answer });
    const fate = fateOf(giving);
    if (exit === exitCodes.usage) {
      if (posted && fate !== null) return tell(giving, fate);
      if (posted && isExecuted(giving)) continue;
      return exit;
    }
    if (fate?.kind === "taken" || exit === exitCodes.stopped) return exit;
    return fate === null ? exit || exitCodes.parked : tell(giving, fate);
  }
}

function isExecuted({ journal, run, isAlive }: Giving): boolean {
  const row = journal.find(run);
  return row !== null && row.endedAt === null && isAlive(row.owner);
}

function fateOf({ journal, run, read, answer }: Giving): AnswerFate | null {
  return answerFate(journal.read(run, read), answer);
}

/** What the process that executes the run makes of the answer; `left` where it is gone before that. */
async function fateElsewhere(giving: Giving): Promise<AnswerFate | "late" | "left"> {
  const until = performance.now() + limits.answerTakenMs;
  for (;;) {
    // Asked first: what an owner that is gone has recorded is all there.
    const executed = isExecuted(giving);
    const fate = fateOf(giving);
    if (fate !== null) return fate;
    if (!executed) return "left";
    if (performance.now() > until) return "late";
    await setTimeout(limits.answerPollMs);
  }
}

function tell({ world, run, answer: { node } }: Giving, fate: AnswerFate): number {
  if (fate.kind === "conflict")
    return report(world, usage(`the answer to ${node} of run ${run} was not taken: ${fate.what}`, inboxHint));
  world.err.write(`answered ${node} of run ${run}\n`);
  return exitCodes.ok;
}

function notYet({ run, answer: { node } }: Giving): Problem {
  const message = `the process that executes run ${run} has not taken the answer to ${node} yet`;
  return { exit: exitCodes.parked, message, hint: `It has it, and may still take it: trammel show ${run}` };
}

const inboxHint = "trammel inbox lists what waits.";

interface Given {
  readonly answer: GateAnswered;
  /** Number of the last event of the run when its question was read. */
  readonly read: number;
}

async function answerTo(
  journal: Journal,
  row: RunRow,
  node: string,
  text: string,
): Promise<Given | { readonly problem: Problem }> {
  const events = [...journal.read(row.run)];
  const open = openGates(events);
  const gate = open.find((one) => one.gate.node === node)?.gate;
  if (gate === undefined) {
    const waiting = open.map((one) => one.gate.node);
    const hint = waiting.length === 0 ? inboxHint : `These wait: ${waiting.join(", ")}`;
    const past = pastAnswer(events, node);
    const why = past === null ? "" : `: ${past}`;
    return { problem: usage(`nothing waits for an answer at ${node} of run ${row.run}${why}`, hint) };
  }
  const document = journal.definition(row.definition);
  const blueprint = document === null ? null : check(document).blueprint;
  const by = userName();
  const human = blueprint?.nodes.get(node);
  if (human?.type === "human" && human.approvers?.includes(by) === false) {
    return { problem: usage(`${by} may not answer ${node}`, `Its approvers are: ${human.approvers.join(", ")}`) };
  }
  const typed = await typedAnswer(text, gate, blueprint);
  if ("problem" in typed) return typed;
  const { pass, attempt, digest } = gate;
  const given = {
    type: "gate.answered",
    node,
    pass,
    attempt,
    id: randomUUID(),
    by,
    digest,
    answer: typed.value,
  } as const;
  return { answer: given, read: events.at(-1)?.seq ?? 0 };
}
