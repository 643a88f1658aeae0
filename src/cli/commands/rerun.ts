import type { Blueprint } from "../../model/blueprint.ts";
import type { RunStarted } from "../../model/events.ts";
import type { RunRow } from "../../ports/journal.ts";
import type { ForkRequest, StartRequest } from "../../runtime/api.ts";
import type { SourceDocument } from "../documents/document.ts";
import { drive, type DriveOptions } from "../running/drive.ts";
import { readInputs } from "../running/inputs.ts";
import { boundBy, prepare, readConfig } from "../running/prepare.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { findRun, type KeptCalls, keptCalls, openStoreToRead } from "../store/stored-run.ts";
import type { World } from "../world.ts";
import { idleSpans } from "../../views/idle.ts";

export interface RerunOptions extends DriveOptions {
  readonly input?: readonly string[];
  readonly maxSteps?: number;
}

/**
 * Does the same once more: a new run of the definition, task and inputs of an earlier one, counted under the same task.
 */
export function rerun(world: World, text: string, options: RerunOptions): Promise<number> {
  return anew(world, text, options, null);
}

export interface ForkOptions extends RerunOptions {
  /** `NODE`, `NODE#PASS`, or `NODE (pass N)` as a run shows it. */
  readonly at: string;
  readonly keepTree?: true;
}

/** Goes another way from a pass of an earlier run; what was recorded before it is taken over. */
export async function fork(world: World, text: string, options: ForkOptions): Promise<number> {
  return anew(world, text, options, { at: options.at, keepTree: options.keepTree === true });
}

interface Place {
  readonly at: string;
  readonly keepTree: boolean;
}

/**
 * A node of that very name comes first: a flow may have one called `test#2`, and
 * the second pass of `test` is then `test (pass 2)`.
 */
function placeOf({ at, keepTree }: Place, { nodes }: Blueprint): Pick<ForkRequest, "node" | "pass" | "keepTree"> {
  const [, node, short, long] = /^(.+?)(?:#([1-9][0-9]*)| \(pass ([1-9][0-9]*)\))$/.exec(at) ?? [];
  if (nodes.has(at) || node === undefined) return { node: at, keepTree };
  return { node, pass: Number(short ?? long), keepTree };
}

async function anew(world: World, text: string, options: RerunOptions, place: Place | null): Promise<number> {
  const earlier = await readEarlier(world, text);
  if (isProblem(earlier)) return report(world, earlier);
  const { row, started, document, keptLook } = earlier;
  const config = await readConfig(world, row.cwd);
  if (typeof config === "number") return config;
  const prepared = await prepare(world, document, config, keptLook);
  if (typeof prepared === "number") return prepared;
  const { blueprint } = prepared;
  const given = await readInputs(undefined, options.input ?? [], world.cwd);
  if ("problem" in given) return report(world, given.problem);
  const inputs = { ...given.values, ...kept(started, blueprint, given.values) };
  const lost = Object.keys(started.inputs).filter((name) => !Object.hasOwn(inputs, name));
  if (lost.length > 0) return report(world, notKept(row.run, lost));
  const { file, taskId, task, maxRetries, acceptRisk } = started;
  const maxSteps = options.maxSteps ?? started.maxSteps;
  const start: StartRequest = {
    ...boundBy(prepared),
    ...(file === undefined ? {} : { file }),
    task,
    taskId,
    inputs,
    cwd: row.cwd,
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(acceptRisk === undefined ? {} : { acceptRisk }),
  };
  const { exit } = await drive(world, prepared, row.cwd, options, ({ engine, journal }, observer, waits) => {
    const request = { ...start, ...waits };
    if (place === null) return engine.start(request, observer);
    const idle = place.keepTree ? [] : idleSpans(journal.read(row.run), blueprint);
    return engine.fork({ run: row.run, ...placeOf(place, blueprint), idle, start: request }, observer);
  });
  return exit;
}

interface Earlier {
  readonly row: RunRow;
  readonly started: RunStarted;
  readonly document: SourceDocument;
  readonly keptLook: KeptCalls;
}

async function readEarlier(world: World, text: string): Promise<Earlier | Problem> {
  const journal = await openStoreToRead(world);
  try {
    const row = findRun(journal, text);
    if (isProblem(row)) return row;
    const [first] = journal.read(row.run);
    if (first?.body.type !== "run.started") return usage(`the journal of run ${row.run} does not begin with its start`);
    const definition = journal.definition(row.definition);
    if (definition === null) return usage(`the definition of run ${row.run} is gone`, "Run the blueprint by its file.");
    const started = first.body;
    const name = `${row.blueprint} (as run ${row.run} keeps it)`;
    return {
      row,
      started,
      keptLook: keptCalls(journal, [...journal.read(row.run)]),
      document: { name, file: started.file ?? "", text: definition },
    };
  } finally {
    await journal.close();
  }
}

/** The inputs that the journal holds as they were, where no other value is given. */
function kept({ inputs }: RunStarted, blueprint: Blueprint, given: RunStarted["inputs"]): RunStarted["inputs"] {
  const isKept = (name: string): boolean => blueprint.inputs[name]?.sensitive !== true && !Object.hasOwn(given, name);
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => isKept(name)));
}

function notKept(run: string, names: readonly string[]): Problem {
  return usage(
    `sensitive inputs of run ${run} are not in its journal: ${names.join(", ")}`,
    `Give them again: ${names.map((name) => `--input ${name}=VALUE`).join(" ")}`,
  );
}
