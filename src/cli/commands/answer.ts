import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { GateAnswered, GateOpened } from "../../model/gate-events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { exitCodes, isReopenable } from "../../model/outcome.ts";
import type { Journal, RunRow } from "../../ports/journal.ts";
import { type AnswerFate, answerFate, pastAnswer } from "../../views/answer-fate.ts";
import { askedOf } from "../../views/open-gates.ts";
import { blueprintOf, insideAt, topOf, waitingGates } from "../store/inner-runs.ts";
import { decidedInside } from "../inside.ts";
import { instant } from "../report.ts";
import { isProblem, type Problem, refuse, report, usage } from "../problem.ts";
import { findRun, missingRun, openStore } from "../store/stored-run.ts";
import { typedAnswer } from "../asking/typed-answer.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";
import type { Refusal } from "../../runtime/api.ts";
import { escaped } from "../../views/inert.ts";
import { answerWords } from "../../views/words.ts";
import type { TellRefusal } from "../running/drive.ts";
import { standardInput } from "../asking/standard-input.ts";
import { resume, type ResumeOptions } from "./resume.ts";

export interface AnswerOptions extends ResumeOptions {
  readonly stdin?: true;
}

/**
 * Answers a gate. The process that executes the run takes the answer from its mailbox; a parked run goes on here, to
 * its end or to the next gate. Succeeds only where this very answer is the one that was recorded.
 */
export async function answer(
  world: World,
  run: string,
  node: string,
  text: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  const inside = await decidedInside(world);
  if (inside !== null) return report(world, inside);
  const said = await textOf(world, text, options);
  if (typeof said !== "string") return report(world, said);
  const missing = await missingRun(world, run);
  if (missing !== null) return report(world, missing);
  const journal = await openStore(world);
  try {
    const row = findRun(journal, run);
    if (isProblem(row)) return report(world, row);
    const given = await answerTo(world, journal, row, node, said);
    if ("problem" in given) return report(world, given.problem);
    const { isAlive } = await world.compose();
    return await give({ world, journal, isAlive, ...given }, options);
  } finally {
    await journal.close();
  }
}

async function textOf(world: World, text: string | undefined, { stdin }: AnswerOptions): Promise<string | Problem> {
  if (stdin !== true)
    return text ?? usage("no answer was given", "Give it after the node, or pipe it in with --stdin.");
  if (text !== undefined) return usage("an answer was given, and --stdin asks for one", "Leave one of them out.");
  if (world.interactive) world.err.write("the answer, to its end with Ctrl-D:\n");
  const given = await standardInput(limits.answerBytes);
  if (typeof given === "string") return given;
  return usage(
    given.unread === "too long"
      ? `the answer is longer than ${limits.answerBytes / 1024} KiB`
      : "the answer is no text",
    "Keep it in a file, and answer with its path.",
  );
}

interface Giving extends Given {
  readonly world: World;
  readonly journal: Journal;
  readonly isAlive: (process: ProcessIdentity) => boolean;
}

/**
 * An owner may end before it takes what is in its mailbox, and another may
 * take the run over first: each is tried in turn.
 */
async function give(giving: Giving, options: ResumeOptions): Promise<number> {
  const { world, journal, run, top, path, answer } = giving;
  for (let posted = false; ;) {
    if (isExecuted(giving)) {
      if (!posted) await journal.post(run, answer);
      posted = true;
      const fate = await fateElsewhere(giving);
      if (fate === "late") return report(world, notYet(giving));
      if (fate !== "left") return tell(giving, fate);
    }
    const late = tooLate(giving);
    if (late !== null) return report(world, late);
    const refusals: Refusal[] = [];
    const tellRefusal: TellRefusal = (_, refusal) => {
      refusals.push(refusal);
      return exitCodes.usage;
    };
    const exit = await resume(
      world,
      top,
      { ...options, detach: true },
      { answer: { ...answer, node: path }, tellRefusal },
    );
    const fate = fateOf(giving);
    const [refusal] = refusals;
    if (refusal !== undefined) {
      if (fate !== null) return tell(giving, fate);
      if (isExecuted(giving)) continue;
      return refuse(world, refusal);
    }
    if (exit === exitCodes.usage || fate?.kind === "taken" || exit === exitCodes.stopped) return exit;
    return fate === null ? exit || exitCodes.parked : tell(giving, fate);
  }
}

/**
 * What is decided without an answer is not set off by one: a no that comes late would begin what the default allows.
 */
function tooLate({ top, path, asked: { until } }: Giving): Problem | null {
  if (until === undefined || until > Date.now()) return null;
  return usage(
    `the answer to ${path} of run ${top} was not taken: its time was up at ${instant(until)}`,
    `trammel resume ${top} --detach goes on as if nobody had answered, trammel stop ${top} ends it.`,
  );
}

/** Who has the run around it takes it over with it, though not at once. */
function isExecuted({ journal, run, top, isAlive }: Giving): boolean {
  return [run, top].some((one) => {
    const row = journal.find(one);
    return row !== null && row.endedAt === null && isAlive(row.owner);
  });
}

function fateOf({ journal, run, read, answer, asked, path }: Giving): AnswerFate | null {
  return answerFate(journal.read(run, read), answer, asked, path);
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

function tell({ world, journal, top, path, answer }: Giving, fate: AnswerFate): number {
  if (fate.kind === "conflict")
    return report(world, {
      ...usage(
        `the answer to ${path} of run ${top} was not taken: ${fate.what}`,
        `trammel show ${top} tells how it stands, ${inboxHint}`,
      ),
      details: treesText(fate),
    });
  const row = journal.find(top);
  const stands = row === null ? "" : `: ${standText(row)}`;
  world.err.write(`answered ${path} of run ${top} with ${escaped(answerWords(answer.answer))}${stands}\n`);
  return exitCodes.ok;
}

/** The trees are kept by the repository that the run works in. */
function treesText({ trees }: Extract<AnswerFate, { readonly kind: "conflict" }>): readonly string[] {
  return trees === undefined ? [] : [`What changed in the tree: git diff ${trees.join(" ")}`];
}

function standText({ endedAt, status, owner }: RunRow): string {
  if (endedAt !== null) return `it has ended: ${status}`;
  return status === "waiting" ? "it waits for a person again" : `process ${owner.pid} goes on with it`;
}

function notYet({ top, path }: Giving): Problem {
  const message = `the process that executes run ${top} has not taken the answer to ${path} yet`;
  return { exit: exitCodes.parked, message, hint: `It has it, and may still take it: trammel show ${top}` };
}

const inboxHint = "trammel inbox lists what waits.";

/** What a run needs that nobody goes on with, before it asks again. */
function standstillHint({ run, status }: RunRow): string | null {
  if (status === "interrupted") return `It was interrupted: trammel resume ${run} goes on with it.`;
  return isReopenable(status) ? "It has halted: trammel inbox has the command that goes on with it." : null;
}

interface Given {
  /** The run that asks, and the one that goes on: the same, unless it asks inside a call or a map. */
  readonly run: string;
  readonly top: string;
  /** The gate, from the one that goes on. */
  readonly path: string;
  readonly answer: GateAnswered;
  readonly asked: GateOpened;
  /** Number of the last event of the run that asks, when its question was read. */
  readonly read: number;
}

async function answerTo(
  world: World,
  journal: Journal,
  row: RunRow,
  node: string,
  text: string,
): Promise<Given | { readonly problem: Problem }> {
  const waiting = waitingGates(journal, row);
  const open = waiting.find(({ path }) => path === node);
  if (open === undefined) {
    const named = waiting.slice(0, limits.gatesNamed).map(({ path }) => path);
    const others = named.length === 0 ? inboxHint : `These wait: ${named.join(", ")}`;
    const hint = standstillHint(row) ?? others;
    const asked = insideAt(journal, row, node);
    const past = asked === null ? null : pastAnswer(journal.read(asked.row.run), asked.node, node);
    const why = past === null ? "" : `: ${past}`;
    return { problem: usage(`nothing waits for an answer at ${node} of run ${row.run}${why}`, hint) };
  }
  const { gate, row: asking, read } = open;
  const blueprint = await blueprintOf(world, journal, asking);
  const human = blueprint === null ? undefined : askedOf(blueprint, gate);
  const by = userName();
  if (human?.approvers?.includes(by) === false)
    return { problem: usage(`${by} may not answer ${node}`, `Its approvers are: ${human.approvers.join(", ")}`) };
  const typed = await typedAnswer(text, gate, human);
  if ("problem" in typed) return typed;
  const { pass, attempt, digest } = gate;
  const given = { pass, attempt, id: randomUUID(), by, digest, answer: typed.value };
  return {
    run: asking.run,
    top: topOf(journal, row).run,
    path: `${asking.parent?.path ?? ""}${gate.node}`,
    answer: { type: "gate.answered", node: gate.node, ...given },
    asked: gate,
    read,
  };
}
