import type { Node, NodeType } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { NodeResult } from "../model/outcome.ts";
import { messageOf } from "../model/thrown.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { ActionContext, Capabilities, Performer } from "../ports/performer.ts";
import type { EngineOptions } from "../runtime/options.ts";
import { StageClock } from "./clock.ts";
import type { Said, TestCase } from "./file.ts";
import { watchedJournal } from "./journal.ts";
import { OpenAttempts } from "./open-attempts.ts";
import { actAsSaid } from "./said-result.ts";
import { Person } from "./person.ts";
import { type Line, Script } from "./script.ts";

type Performers = ReadonlyMap<NodeType, Performer>;

/** Told of what is carried out, scripted or real, before it is and after. */
export interface Witness {
  begun(path: string, attempt: Attempt): Promise<void> | void;
  ended(path: string, attempt: Attempt, result: NodeResult): Promise<void> | void;
}

export interface StageOptions {
  readonly test: TestCase;
  /** Every node by its path. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly clock: Clock;
  /** Milliseconds since the epoch that it begins at, at least. */
  readonly from?: number;
  readonly witness?: Witness;
  readonly journal?: (journal: Journal) => Journal;
}

/**
 * What a test puts in the place of the world: outcomes, answers, recordings and time. Everything else is as in any run.
 */
export class Stage {
  readonly clock: StageClock;
  /** What the test should have said and did not, and what it says that cannot be done; one sentence each. */
  readonly missing: string[] = [];
  readonly #options: StageOptions;
  readonly #script: Script;
  readonly #open: OpenAttempts;
  readonly #person: Person;
  #journal: Journal | null = null;

  constructor(options: StageOptions) {
    this.#options = options;
    this.#script = new Script(options.test, options.witness !== undefined);
    this.#person = new Person(
      options.nodes,
      () => this.#journal,
      (...of) => this.#lineOf(...of),
      (waiting) => this.clock.rest(waiting),
    );
    this.#open = new OpenAttempts(options.nodes);
    this.clock = new StageClock(options.clock, options.from, () => this.#open.isAnyAtWork());
  }

  /** Innermost, so that what holds a performer to its node holds the script to it too. */
  cast(performers: Performers): Performers {
    return new Map([...performers].map(([type, performer]) => [type, this.#cast(performer)]));
  }

  /** Outermost: time goes on by itself only while nothing of this is at work. */
  set(options: EngineOptions): EngineOptions {
    const { journal = (one) => one } = this.#options;
    this.#journal = this.#watched(journal(options.journal));
    const { performers, can } = options;
    return {
      ...options,
      journal: this.#journal,
      clock: this.clock,
      can: this.#capabilities(can),
      performers: new Map([...performers].map(([type, one]) => [type, this.#atWork(one)])),
    };
  }

  #watched(inner: Journal): Journal {
    const watched = watchedJournal(inner, (commit) => this.clock.work(commit));
    return {
      ...watched,
      create: (row, document, events, ...rest) => {
        this.#open.note(row.run, () => row.parent, events);
        return watched.create(row, document, events, ...rest);
      },
      append: (run, events, ...rest) => {
        this.#open.note(run, () => inner.find(run)?.parent, events);
        return watched.append(run, events, ...rest);
      },
    };
  }

  #capabilities(can: Capabilities): Capabilities {
    return {
      ...can,
      gates: this.#person,
      processes: { run: (spec, signal) => this.clock.work(() => can.processes.run(spec, signal)) },
      // Whatever a node asks for: a test reaches no model.
      provider: () => can.provider("replay"),
    };
  }

  #cast(performer: Performer): Performer {
    return {
      ...performer,
      missing: (node, can, blueprint) => (this.#isReal(node) ? performer.missing(node, can, blueprint) : null),
      perform: (context) => this.#perform(performer, context),
    };
  }

  #isReal(node: Node): boolean {
    return [...this.#options.nodes].some(([path, one]) => one.id === node.id && this.#script.isReal(path, one));
  }

  async #perform(performer: Performer, context: ActionContext): Promise<NodeResult> {
    const { node, attempt } = context;
    const path = this.#pathOf(context);
    const line = node.type === "human" ? "real" : this.#lineOf(path, node, attempt);
    if (line === "unsaid")
      return { outcome: "error", reason: { code: "could_not_start", text: this.missing.at(-1) ?? "" } };
    await this.#options.witness?.begun(path, attempt);
    const result = line === "real" ? await performer.perform(context) : await this.#act(path, line, context);
    await this.#options.witness?.ended(path, attempt, result);
    return result;
  }

  async #act(path: string, said: Said, context: ActionContext): Promise<NodeResult> {
    try {
      return await actAsSaid(said, context);
    } catch (error) {
      const text = `files of ${path}: ${messageOf(error)}`;
      this.missing.push(text);
      return { outcome: "error", reason: { code: "could_not_start", text } };
    }
  }

  #lineOf(path: string, node: Node, attempt: Attempt): Line {
    const line = this.#script.lineOf(path, node, attempt);
    if (line === "unsaid" || (line === "real" && node.type === "human")) this.missing.push(unsaid(path, node, attempt));
    return line;
  }

  #pathOf({ run, node }: ActionContext): string {
    return `${this.#journal?.find(run)?.parent?.path ?? ""}${node.id}`;
  }

  /** What waits by itself is no work, and what only holds other nodes does none. */
  #atWork(performer: Performer): Performer {
    if (idle.has(performer.type)) return performer;
    return {
      ...performer,
      perform: (context) => this.clock.work(() => performer.perform(context)),
    };
  }
}

function unsaid(path: string, { type }: Node, { pass, attempt }: Attempt): string {
  const which = `${pass === 1 ? "" : `#${pass}`}${attempt === 1 ? "" : `, attempt ${attempt}`}`;
  const [one, further] = [type === "human" ? "yes" : "success", attempt === 1 ? "[…, $]" : "[…, [error, $]]"];
  // Where it is not the first, a list has come to its end.
  const say = `{${path}: ${pass === 1 && attempt === 1 ? one : further.replace("$", one)}}`;
  return `${type} ${path}${which} started, and the test does not say what comes of it; say it as in nodes: ${say}`;
}

const idle: ReadonlySet<NodeType> = new Set<NodeType>(["wait", "call", "map"]);
