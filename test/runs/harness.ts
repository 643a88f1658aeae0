import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal, type EmbeddedJournal } from "../../src/hosts/embedded/journal.ts";
import type { NodeType } from "../../src/model/node.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { EventBody, JournalEvent } from "../../src/model/events.ts";
import { nobody, type ProcessIdentity } from "../../src/model/process-identity.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Journal, JournalReader } from "../../src/ports/journal.ts";
import type { ActionContext, Capabilities, Performer } from "../../src/ports/performer.ts";
import type {
  Engine,
  ForkRequest,
  Observer,
  Refusal,
  ResumeRequest,
  RunEnd,
  RunHandle,
  StartRequest,
} from "../../src/runtime/api.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { call } from "../../src/nodes/call.ts";
import { map } from "../../src/nodes/map.ts";
import { createEngine } from "../../src/runtime/engine.ts";
import type { EngineOptions } from "../../src/runtime/options.ts";
import { runSecrets } from "../../src/runtime/environment/run-secrets.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { systemIds } from "../../src/runtime/ids.ts";
import { gitWorkspaces } from "../../src/runtime/workspace/workspaces.ts";
import { isSame } from "../../src/runtime/processes/identity.ts";
import type { DefinitionOf } from "../../src/cli/store/replayed.ts";
import { topOf } from "../../src/cli/store/inner-runs.ts";
import { unlikeReplay } from "../support/replayed.ts";
import { three } from "./blueprints.ts";

/** A node performed by a function of this process, of the class that its type says. */
export type Act = (context: ActionContext) => Promise<NodeResult> | NodeResult;

export const success: NodeResult = { outcome: "success" };

export interface WorldOptions {
  readonly clock?: Clock;
  readonly can?: Partial<Capabilities>;
  readonly home?: string;
  readonly closed?: NonNullable<EngineOptions["closed"]>;
  readonly notice?: NonNullable<EngineOptions["notice"]>;
}

/** The same journal, but for some of its methods. */
export function journalWith(journal: Journal, methods: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get: (target, name) => {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A store on disk and engines over it that stand for processes; `kill` makes one count as gone. */
export class World {
  readonly home: string;
  readonly seen: JournalEvent[] = [];
  /** Nodes in the order in which acts that note it performed them. */
  readonly calls: string[] = [];
  readonly #dead = new Set<number>();
  readonly #journals: EmbeddedJournal[] = [];
  readonly #options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.home = options.home ?? mkdtempSync(join(tmpdir(), "trammel-runs-"));
  }

  journal(pid = 1): EmbeddedJournal {
    const journal = openJournal({
      home: this.home,
      clock: this.#options.clock ?? systemClock,
      ids: systemIds(systemClock),
      self: processOf(pid),
      isAlive: this.#isAlive,
      isSame,
      notice: () => undefined,
    });
    this.#journals.push(journal);
    return journal;
  }

  engine(acts: Readonly<Record<string, Act>>, pid = 1, journal: Journal = this.journal(pid)): Engine {
    const performers = new Map<NodeType, Performer>(types.map((type) => [type, actor(type, acts)]));
    performers.set("call", call).set("map", map);
    const can: Capabilities = { ...noCapabilities(this.home), ...this.#options.can };
    const engine = createEngine({
      journal,
      performers,
      can,
      clock: this.#options.clock ?? systemClock,
      ids: systemIds(systemClock),
      environment: ({ env }) => Promise.resolve(env),
      workspaces: gitWorkspaces({ home: this.home, env: process.env, notice: () => undefined }),
      secrets: runSecrets({
        redactor: createRedactor(),
        secret: () => Promise.resolve(null),
        folder: join(this.home, "secrets"),
        notice: () => undefined,
      }),
      self: processOf(pid),
      isAlive: this.#isAlive,
      ...(this.#options.closed === undefined ? {} : { closed: this.#options.closed }),
      ...(this.#options.notice === undefined ? {} : { notice: this.#options.notice }),
    });
    return {
      ...engine,
      start: noting(
        (...start) => engine.start(...start),
        (start: StartRequest) => start,
      ),
      fork: noting(
        (...fork) => engine.fork(...fork),
        ({ start }: ForkRequest) => start,
      ),
      resume: noting(
        (...resume) => engine.resume(...resume),
        (resume: ResumeRequest) => resume,
      ),
    };
  }

  /** Acts that note and perform every node, and hang in those that are named. */
  hangingIn(...ids: readonly string[]): Readonly<Record<string, Act>> {
    return {
      "*": ({ node }) => {
        this.calls.push(node.id);
        return ids.includes(node.id) ? new Promise<NodeResult>(() => undefined) : success;
      },
    };
  }

  /** Starts a run that has to be let in, in an engine of its own. */
  async start(started: StartRequest, ...engine: Parameters<World["engine"]>): Promise<RunHandle> {
    return handle(await this.engine(...engine).start(started, this.observer));
  }

  /** As {@link World.start}, to the end of the run. */
  async toEnd(started: StartRequest, ...engine: Parameters<World["engine"]>): Promise<RunEnd> {
    return (await this.start(started, ...engine)).end;
  }

  /** Goes on with a run that has to be let, in an engine of its own. */
  async resume(resumed: ResumeRequest, ...engine: Parameters<World["engine"]>): Promise<RunHandle> {
    return handle(await this.engine(...engine).resume(resumed, this.observer));
  }

  /** Runs until a node is being performed, and lets its engine, process 1, die there. */
  async diedIn(node: string, of = three): Promise<string> {
    const { run } = await this.start(request(of), this.hangingIn(node), 1);
    await until(() => this.calls.includes(node));
    this.kill(1);
    this.seen.length = 0;
    return run;
  }

  readonly #isAlive = ({ pid }: ProcessIdentity): boolean => pid !== nobody.pid && !this.#dead.has(pid);

  kill(pid: number): void {
    this.#dead.add(pid);
  }

  readonly observer: Observer = {
    event: (event) => this.seen.push(event),
    progress: () => undefined,
  };

  async remove(): Promise<void> {
    for (const journal of this.#journals) await journal.close().catch(() => undefined);
    const unlike = await unlikeReplay(this.home, definitions);
    rmSync(this.home, { recursive: true, force: true });
    if (unlike.length > 0) throw new Error(unlike.join("\n"));
  }
}

/**
 * By run and content hash, what any world began or went on with: when it is
 * removed, the journals of its store are replayed.
 */
const carriedOut = new Map<string, Map<string, Blueprint>>();

const definitions = (journal: JournalReader): DefinitionOf => {
  return (hash, row) => Promise.resolve(carriedOut.get(topOf(journal, row).run)?.get(hash) ?? null);
};

type Begun = Pick<StartRequest, "blueprint" | "contentHash" | "callees">;

function noting<R>(
  begin: (request: R, observer: Observer) => Promise<RunHandle | Refusal>,
  begunOf: (request: R) => Begun,
): (request: R, observer: Observer) => Promise<RunHandle | Refusal> {
  return async (request, observer) => {
    const answer = await begin(request, observer);
    if ("refused" in answer) return answer;
    const { blueprint: of, contentHash, callees } = begunOf(request);
    const known = carriedOut.get(answer.run) ?? new Map<string, Blueprint>();
    carriedOut.set(answer.run, known.set(contentHash, known.get(contentHash) ?? of));
    for (const [hash, callee] of callees ?? []) known.set(hash, callee.blueprint);
    return answer;
  };
}

export function processOf(pid: number): ProcessIdentity {
  return { pid, startTime: `${pid}`, bootId: "no boot of this machine" };
}

export function request(of: Blueprint, more: Partial<StartRequest> = {}): StartRequest {
  const hashes = { contentHash: "content", bindingHash: "binding" };
  return { blueprint: of, document: "name: test", ...hashes, task: "do it", inputs: {}, cwd: tmpdir(), ...more };
}

/** Resumes a run of {@link three} unchanged. */
export function again(run: string, more: Partial<ResumeRequest> = {}): ResumeRequest {
  return { run, blueprint: three, contentHash: "content", bindingHash: "binding", acceptChanges: false, ...more };
}

export function handle(answer: RunHandle | Refusal): RunHandle {
  if ("refused" in answer) throw new Error(`${answer.refused}: ${answer.message}`);
  return answer;
}

export function kinds(events: Iterable<JournalEvent>): string[] {
  return [...events].map(({ body }) =>
    "node" in body && body.node !== undefined ? `${body.type} ${body.node}` : body.type,
  );
}

export function bodies<T extends EventBody["type"]>(
  events: Iterable<JournalEvent>,
  type: T,
): Extract<EventBody, { type: T }>[] {
  return [...events].flatMap(({ body }) => (is(body, type) ? [body] : []));
}

function is<T extends EventBody["type"]>(body: EventBody, type: T): body is Extract<EventBody, { type: T }> {
  return body.type === type;
}

const types: readonly NodeType[] = ["tool", "plugin", "agent", "human", "wait"];

function actor(type: NodeType, acts: Readonly<Record<string, Act>>): Performer {
  return {
    type,
    class: type === "agent" ? "agentic" : type === "human" ? "human" : "deterministic",
    missing: (node) => (acts[node.id] === undefined && acts["*"] === undefined ? `"${node.id}": no act` : null),
    perform: async (context) => (acts[context.node.id] ?? acts["*"] ?? (() => success))(context),
  };
}

function noCapabilities(home: string): Capabilities {
  return {
    processes: { run: () => Promise.reject(new Error("no processes here")) },
    blobs: fileBlobs(join(home, "blobs")),
    gates: { ask: () => Promise.resolve({ kind: "nobody" }) },
    tools: { get: () => undefined, names: () => [] },
    provider: () => ({ missing: "no providers here" }),
  };
}

/** Waits for a condition, letting everything happen that waits for nothing but this process. */
export async function until(condition: () => boolean, each: () => void = () => undefined): Promise<void> {
  while (!condition()) {
    each();
    await new Promise(setImmediate);
  }
}
