import type { AgentPolicy, AgentSettings } from "../model/agent-settings.ts";
import type { OutputFormat } from "../model/node.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { Json } from "../model/json.ts";
import type { Reason, Usage } from "../model/outcome.ts";
import type { ProcessRunner } from "./processes.ts";
import type { Reads } from "./reads.ts";
import type { ToolRegistry } from "./tool.ts";

export interface AgentRequest {
  readonly run: string;
  readonly node: string;
  readonly pass: number;
  readonly prompt: string;
  readonly model: string | null;
  readonly turns: number;
  readonly tools: ToolRegistry;
  /** Names the node may use; null means all. */
  readonly toolScope: readonly string[] | null;
  readonly policy: AgentPolicy;
  readonly output?: OutputFormat;
  readonly options?: readonly string[];
  readonly workspace: string;
  /** Environment for commands its tools run. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessRunner;
  readonly outputBytes: number;
  /** Asks a person whether a call may go ahead; absent, or `nobody`, where none can be asked, which denies. */
  readonly ask?: (request: string) => Promise<"granted" | "declined" | "nobody">;
  /** What it may read, and where its reads are noted. Absent: anything, and nowhere. */
  readonly reads?: Reads;
  /** Called for each child process, as soon as it exists, so that a later engine can find a survivor. */
  readonly onProcess?: (process: ProcessIdentity) => void;
  /** Called at any sign of life that is no event. */
  readonly onSign?: () => void;
  /** What earlier attempts of this pass did; goes with the prompt. */
  readonly earlier?: string;
}

/** How an agent ended: end of its turn = success, refusal = failure, overloaded = error, … */
export interface AgentResult {
  readonly outcome: "success" | "failure" | "error" | "cancelled";
  readonly reason?: Reason;
  /** The last message. */
  readonly message: string;
  /** What the answer holds where the request names an `output`. */
  readonly value?: Json;
  /** Which of the request's options was chosen; present in a success where there are any. */
  readonly option?: string;
  /** Absent means unknown, never zero. */
  readonly usage?: Usage;
  /** How long to wait before another try, where the provider said so. */
  readonly retryAfterMs?: number;
  /** True where no tool with an effect ran, so that an error may be tried again. */
  readonly beforeEffect: boolean;
}

/** One way to run an agent. Every fault ends in a result; `emit` gets the event stream in order. */
export interface AgentProvider {
  readonly name: string;
  /**
   * Whether it can run here and now, offline, under the settings of a node where they are given: a
   * sentence that says what is missing or cannot be held to, or null.
   */
  missing(model: string | null, settings?: AgentSettings): string | null;
  /**
   * In which currency it counts what a model costs; `nothing` where it spends none, null (or
   * absent) where the cost is not known before it is spent.
   */
  currencyOf?(model: string | null): string | null;
  run(request: AgentRequest, emit: (event: AgentEvent) => void, signal: AbortSignal): Promise<AgentResult>;
}
