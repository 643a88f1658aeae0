import type { GateAnswered, JournalEvent } from "../../model/events.ts";
import type { RunRow } from "../../ports/journal.ts";
import type { Settlement } from "../../runtime/api.ts";
import { openGates } from "../../views/open-gates.ts";
import { readDocument, type SourceDocument } from "../documents/document.ts";
import { drive, type DriveOptions } from "../running/drive.ts";
import { calledBy, prepare, type Prepared, readConfig } from "../running/prepare.ts";
import { isProblem, report, usage } from "../problem.ts";
import { findRun, type KeptCalls, keptCalls, openStore } from "../store/stored-run.ts";
import type { World } from "../world.ts";

export interface ResumeOptions extends DriveOptions {
  readonly acceptChanges?: true;
}

/** What a run goes on with. */
export interface Decision {
  /** About a node at which it halted. */
  readonly settle?: Settlement;
  /** To a gate that waits; taken only if the gate still asks the same, and nobody's came first. */
  readonly answer?: GateAnswered;
}

/** Goes on with a run. */
export async function resume(
  world: World,
  text: string,
  options: ResumeOptions,
  { settle, answer }: Decision = {},
): Promise<number> {
  const found = await readRun(world, text);
  if (typeof found === "number") return found;
  const { row, documents, history, look } = found;
  if (openGates(history).length > 0 && row.status === "waiting" && !world.interactive && options.detach !== true) {
    const hint = "trammel inbox shows what it asks and how to answer; --detach goes on with what else there is.";
    return report(world, usage(`run ${row.run} waits for a person and nobody can be asked here`, hint));
  }
  const config = await readConfig(world, row.cwd);
  if (typeof config === "number") return config;
  const prepared = await prepareFirst(world, documents, config, look);
  if (typeof prepared === "number") return prepared;
  const request = {
    run: row.run,
    blueprint: prepared.blueprint,
    contentHash: prepared.contentHash,
    bindingHash: prepared.bindingHash,
    document: prepared.document.text,
    ...calledBy(prepared),
    acceptChanges: options.acceptChanges === true,
    ...(settle === undefined ? {} : { settle }),
  };
  const begin: Parameters<typeof drive>[4] = async ({ engine }, observer) => {
    const started = await engine.resume(request, observer);
    if (answer !== undefined && !("refused" in started)) started.deliver(answer);
    return started;
  };
  const { exit } = await drive(world, prepared, row.cwd, options, begin, history);
  return exit;
}

interface StoredRun {
  readonly row: RunRow;
  readonly history: readonly JournalEvent[];
  /** What to go on with: the file as it is now, so that a change is seen, then the definition that the run keeps. */
  readonly documents: readonly SourceDocument[];
  readonly look: KeptCalls;
}

async function readRun(world: World, text: string): Promise<StoredRun | number> {
  const journal = await openStore(world);
  try {
    const row = findRun(journal, text);
    if (isProblem(row)) return report(world, row);
    const history = [...journal.read(row.run)];
    const [first] = history;
    const started = first?.body.type === "run.started" ? first.body : undefined;
    const file = started?.file;
    const look = keptCalls(journal, history);
    const kept = journal.definition(row.definition);
    const now = file === undefined ? null : readDocument(file, row.cwd);
    const documents = [
      ...(now === null || isProblem(now) ? [] : [now]),
      ...(kept === null
        ? []
        : [{ name: `${row.blueprint} (as run ${row.run} keeps it)`, file: file ?? "", text: kept }]),
    ];
    if (documents.length > 0) return { row, history, documents, look };
    return report(world, usage(`the definition of run ${row.run} is gone, and so is its file`));
  } finally {
    await journal.close();
  }
}

/** The first document that checks. */
async function prepareFirst(
  world: World,
  documents: readonly SourceDocument[],
  config: Parameters<typeof prepare>[2],
  look: KeptCalls,
): Promise<Prepared | number> {
  let answer: Prepared | number = 0;
  for (const document of documents) {
    answer = await prepare(world, document, config, look);
    if (typeof answer !== "number") return answer;
  }
  return answer;
}
