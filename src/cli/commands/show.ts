import { nearest } from "../../language/nearest.ts";
import { limits } from "../../model/limits.ts";
import type { RunReport } from "../../wire/run-report.ts";
import { exitCodes, type Usage } from "../../model/outcome.ts";
import type { ReadableJournal, RunRow } from "../../ports/journal.ts";
import { escaped, inert, inertLine } from "../../views/inert.ts";
import type { AnswerView, AttemptView, NodeState, NodeView, RunView } from "../../views/run-view.ts";
import { attemptsAsTold } from "../../views/taken-up.ts";
import { answerWords, attemptName, elapsed, pastText, stateGlyphs, usageText } from "../../views/words.ts";
import { findBlueprint, listBlueprints, namesBlueprint, shippedBlueprints } from "../documents/by-name.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { dataHome } from "../store/home.ts";
import { type AskedGate, waitingGates } from "../store/inner-runs.ts";
import { instant, runReport } from "../report.ts";
import { findRun, reading, viewOf } from "../store/stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface ShowOptions {
  readonly json?: true;
  readonly expanded?: true;
}

/** Shows a run, or the blueprint of that name or file. */
export async function show(world: World, target: string, options: ShowOptions): Promise<number> {
  if (options.expanded === true || namesBlueprint(target, world.cwd)) {
    const document = findBlueprint(target, world.cwd);
    if (isProblem(document)) return report(world, document);
    if (options.json === true) return report(world, noJson(target));
    const { showBlueprint } = await import("./show-blueprint.ts");
    return showBlueprint(world, document, options.expanded === true);
  }
  return showRun(world, target, options);
}

function noJson(target: string): Problem {
  return usage(
    `--json prints a run, and ${target} is a blueprint`,
    "Its nodes and edges as YAML: trammel show --expanded; what a run would start, as JSON: trammel run --dry-run --json.",
  );
}

function showRun(world: World, run: string, options: ShowOptions): Promise<number> {
  return reading(world, async (journal) => {
    const row = findRun(journal, run);
    if (isProblem(row)) return report(world, orBlueprint(row, run, world));
    const view = await viewOf(world, journal, row);
    const inside = journal.runs(limits.runsListed, row.run).toReversed();
    const waiting = row.endedAt === null ? await askedIn(world, journal, row) : [];
    const limitsNow = await limitsOf(view);
    world.out.write(
      options.json === true
        ? jsonLine(runReport(view, limitsNow, inside, waiting))
        : text(view, limitsNow, inside, waiting),
    );
    return exitCodes.ok;
  });
}

/** Where it is no run either, a blueprint may have been meant. */
function orBlueprint(problem: Problem, text: string, world: World): Problem {
  if (problem.message !== `there is no run ${text}`) return problem;
  const meant = nearest(text, [...listBlueprints(world.cwd), ...shippedBlueprints().keys()]);
  return usage(
    `there is no run and no blueprint ${text}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    "trammel runs lists the ones, trammel list the others.",
  );
}

async function askedIn(world: World, journal: ReadableJournal, row: RunRow): Promise<readonly AskedGate[]> {
  const gates = waitingGates(journal, row);
  if (gates.length === 0) return [];
  const [{ openBlobs }, { Questions }] = await Promise.all([world.compose(), import("../store/questions.ts")]);
  const questions = new Questions(world, journal, openBlobs(dataHome(world.env, world.cwd)));
  const asked = async (one: (typeof gates)[number]): Promise<AskedGate> => {
    const [shown, choices] = await Promise.all([questions.shown(one), questions.choices(one)]);
    return { ...one, shown, choices };
  };
  return Promise.all(gates.map(asked));
}

/** What a run is bound by, as a blueprint says it. */
async function limitsOf({ limits: bounds, overrides }: RunView): Promise<RunReport["limits"]> {
  const [{ limitFields }, { writeFields }] = await Promise.all([
    import("../../language/fields/document.ts"),
    import("../../language/read/table.ts"),
  ]);
  // They are written as text and numbers.
  return writeFields({ ...bounds, ...overrides }, limitFields) as RunReport["limits"];
}

function text(
  view: RunView,
  limitsNow: RunReport["limits"],
  inside: readonly RunRow[],
  waiting: readonly AskedGate[],
): string {
  const failures = view.halting?.failures ?? [];
  const past = pastText(view.status, view.walkedPast);
  const facts: readonly (readonly [string, string])[] = [
    ["run", view.run],
    ["blueprint", view.blueprint],
    ...(view.task === "" ? [] : [["task", view.task] as const]),
    ["status", view.status + (view.reason === null ? "" : `: ${view.reason}`)],
    ...(past === "" ? [] : [["", past] as const]),
    ...[...view.asleep].map(
      ([node, until]) => ["paused", `${node}, as its provider asked, until ${instant(until)}`] as const,
    ),
    ...(view.worktree === null ? [] : [["worktree", view.worktree] as const]),
    ...(Object.keys(limitsNow).length === 0 ? [] : [["limits", limitsText(limitsNow)] as const]),
    ...(failures.length === 0 ? [] : [["evidence", failures.map(attemptName).join(" and ")] as const]),
    ["started", instant(view.startedAt)],
    ["took", view.endedAt === null ? "–" : elapsed(view.endedAt - view.startedAt)],
    ["used", usedText(view.usage)],
  ];
  const head = facts.map(([name, value]) => `${name.padEnd(10)} ${inert(value).replace(/\n/g, "\n           ")}\n`);
  return `${head.join("")}\n${[...view.nodes.values()].map((one) => node(one, view.status) + runsIn(one, inside) + questionsIn(one, waiting)).join("")}`;
}

function limitsText(limitsNow: RunReport["limits"]): string {
  return Object.entries(limitsNow)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function usedText(usage: Usage): string {
  const text = usageText(usage);
  if (text === "") return "no model";
  return usage.cost === undefined ? `${text} · cost unknown` : text;
}

function node(one: NodeView, status: RunView["status"]): string {
  const kind = one.type === null ? "" : ` (${one.type})`;
  const open = openText(one.state, status);
  return `${stateGlyphs[one.state]} ${one.id}${kind}\n${attemptsAsTold(one.attempts)
    .map((each) => attempt(each, open) + each.answers.map((given) => answered(given, one.id)).join(""))
    .join("")}`;
}

/** What becomes of an attempt that has not ended. */
function openText(state: NodeState, status: RunView["status"]): string {
  if (state === "waiting") return "waiting";
  return status === "interrupted" ? "was running when the engine ended" : "running";
}

/** Each of them can be shown in turn. */
function runsIn({ id }: NodeView, inside: readonly RunRow[]): string {
  const lines = inside.flatMap(({ run, blueprint, status, reason, parent }) => {
    if (parent?.node !== id) return [];
    const item = parent.item === undefined ? blueprint : `item ${parent.item}`;
    const pass = parent.pass > 1 ? ` pass ${parent.pass}` : "";
    return [`    ${run}  ${item}${pass}  ${status}${reason === null ? "" : `: ${inert(reason)}`}\n`];
  });
  return lines.join("");
}

/** What it asks, and what is asked inside it by the path that an answer names, with all that is shown. */
function questionsIn({ id }: NodeView, waiting: readonly AskedGate[]): string {
  return waiting
    .filter(({ path }) => path === id || path.startsWith(`${id}/`) || path.startsWith(`${id}[`))
    .map(({ path, gate, shown, choices }) => {
      const prompt = inertLine(gate.prompt);
      return `    ${stateGlyphs.waiting} ${path}: ${prompt}\n${shown.map(evidence).join("")}${choices.map(choice).join("")}`;
    })
    .join("");
}

function choice(text: string): string {
  return `      - ${inertLine(text)}\n`;
}

function evidence(text: string): string {
  const lines = inert(text).trimEnd();
  return lines === "" ? "" : `${lines.replace(/^/gm, "      │ ")}\n`;
}

function attempt(one: AttemptView, open: string): string {
  const time = one.endedAt === null || one.startedAt === 0 ? "" : `  ${elapsed(one.endedAt - one.startedAt)}`;
  const why = one.reason === null ? "" : `: ${inert(one.reason.text)}`;
  const said = inert(one.output ?? "").trimEnd();
  const body = said === "" ? "" : `${said.replace(/^/gm, "    │ ")}\n`;
  const reads = paths("read outside its context", one.outside) + paths("was refused", one.refused);
  // Nothing is unknown of what is only asked or waited for again.
  const outcome = one.reason?.code === "taken_up" ? "suspended" : (one.outcome ?? open);
  return `    ${one.n}. ${outcome}${why}${time}\n${reads}${body}`;
}

/** Who answered and when; of a gate before the node, that it was asked again, since what it approved did not stand. */
function answered({ gate, by, at, answer }: AnswerView, node: string): string {
  const what = gate === node ? "answered" : `${gate} answered again`;
  return `    ${what} by ${inertLine(by)} at ${instant(at)}: ${inertLine(answerWords(answer))}\n`;
}

function paths(what: string, files: readonly string[]): string {
  return files.length === 0 ? "" : `    ! ${what}: ${escaped(files.join(", "))}\n`;
}
