import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode, MapBody, Node, NodeClass } from "../model/node.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import type { Attempt } from "../model/attempt.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { GateBasis } from "../model/gate-events.ts";
import type { Json } from "../model/json.ts";
import type { InnerHalt, NodeResult, RunStatus, Usage } from "../model/outcome.ts";
import type { Template } from "../model/template.ts";
import type { BlobStore } from "./blobs.ts";
import type { GateKeeper } from "./gate.ts";
import type { ProcessRunner } from "./processes.ts";
import type { AgentProvider } from "./provider.ts";
import type { ToolRegistry } from "./tool.ts";

/** Values of a run as its templates see them. A value that does not exist yet is empty text, or null. */
export interface Values {
  /**
   * Text with every reference filled in; each value cut to its last
   * `maxBytes` with a mark and the path of the full text.
   */
  text(template: Template, maxBytes: number): Promise<string>;
  /** As `text`, whole. */
  whole(template: Template): Promise<string>;
  /** A template that is one reference keeps the type of its value. */
  value(template: Template): Promise<Json>;
}

/** What a performer reports while it works; journaled as telemetry and shown live. */
export type Progress =
  | { readonly kind: "line"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "process"; readonly process: ProcessIdentity }
  | { readonly kind: "agent"; readonly event: AgentEvent }
  /** As `node.waiting` says it; told when it changes. */
  | { readonly kind: "waiting"; readonly waits: boolean; readonly until?: number; readonly time?: true }
  /**
   * Journaled as `gate.opened` before anyone can answer, and as `gate.answered`; `of` is
   * the gate before the node, where that is asked again.
   */
  | {
      readonly kind: "gate_opened";
      readonly mode: HumanNode["mode"];
      readonly prompt: string;
      readonly digest: string;
      readonly of?: string;
      readonly over?: GateBasis;
      readonly leave?: true;
      readonly until?: number;
    }
  | { readonly kind: "gate_answered"; readonly by: string; readonly digest: string; readonly answer: Json };

/** What performers are given to act with; picked in compose.ts. */
export interface Capabilities {
  readonly processes: ProcessRunner;
  readonly blobs: BlobStore;
  readonly gates: GateKeeper;
  readonly tools: ToolRegistry;
  /** By provider name; `undefined` name = the configured default. */
  provider(name: string | undefined): AgentProvider | { readonly missing: string };
}

/** How a run inside an attempt ended. */
export interface ChildEnd {
  readonly status: RunStatus;
  readonly reason: string | null;
  /** Set where it waits for a decision; named from the node around it. */
  readonly halt: InnerHalt | null;
  /** The declared outputs, where there are any. */
  readonly outputs: Readonly<Record<string, Json>> | null;
  /** What its last node said: its typed value, else its text. */
  readonly said: Json;
  /** The result that tells most about the end: the last failure of a run that did not succeed, else its last. */
  readonly result: NodeResult | null;
}

/** It could not be started or gone on with, before any effect of it. */
export interface ChildRefused {
  readonly refused: string;
}

/**
 * Runs inside an attempt, each with a journal of its own. One that an earlier engine began is found again: what has
 * ended is read, the rest goes on, and nothing in it is performed twice. They end with the attempt's signal.
 */
export interface ChildRuns {
  call(pin: string, task: string, inputs: Readonly<Record<string, Json>>): Promise<ChildEnd | ChildRefused>;
  item(body: MapBody, index: number, value: Json): Promise<ChildEnd | ChildRefused>;
  /** What they used of models in this attempt; undefined where nothing was. */
  usage(): Usage | undefined;
}

/** A gate that was answered with yes right before a node, and the digest that the answer names. */
export interface Approval {
  readonly gate: HumanNode;
  /** The pass of the gate in which it was given. */
  readonly pass: number;
  readonly digest: string;
  /** What that is over. */
  readonly over?: GateBasis;
  /**
   * Whether an earlier attempt of the pass may have begun, and written into the tree: that is not looked at any more.
   */
  readonly begun?: true;
  /** Given in the run that this one is a fork of: there it was used, and it stands for nothing that is done here. */
  readonly elsewhere?: true;
}

export interface ActionContext<N extends Node = Node> {
  readonly run: string;
  readonly taskId: string;
  readonly blueprint: Blueprint;
  readonly node: N;
  readonly attempt: Attempt;
  /**
   * When this pass of the node began, in milliseconds since the epoch; the
   * same after a restart, and never in the future.
   */
  readonly since: number;
  /** SHA-256 of what an earlier attempt of this pass was given beside its prompt. */
  readonly bundle?: string;
  /** What agents did in earlier attempts of this pass, the latest of it; absent where nothing is known. */
  readonly earlier?: readonly AgentEvent[];
  /** What it starts on the word of a person; absent also where an earlier attempt of the pass began on it. */
  readonly approvals?: readonly Approval[];
  /** Absolute working folder of the run. */
  readonly cwd: string;
  readonly values: Values;
  /** Environment for a child of this node, `env`, inputs and `TRAMMEL_*` included, credentials excluded. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Bytes for the child's stdin where the node binds it. */
  stdin(): Promise<Uint8Array | undefined>;
  readonly timeoutMs: number | null;
  readonly outputBytes: number;
  readonly can: Capabilities;
  readonly children: ChildRuns;
  /** Aborted on stop, limit or lost join; the performer ends its work and answers `cancelled`. */
  readonly signal: AbortSignal;
  report(progress: Progress): void;
  /** Resolves when what was reported is in the journal, or once the signal is aborted: then it may never be there. */
  recorded(): Promise<void>;
}

/** How one node type is carried out. */
export interface Performer<N extends Node = Node> {
  readonly type: N["type"];
  readonly class: NodeClass;
  /**
   * It leaves `timeoutMs` to the engine, which aborts its signal when the time is up. The
   * others keep it, with the grace their processes need.
   */
  readonly untimed?: true;
  /**
   * Why this node of the blueprint cannot run here, before any effect of the run, without its name; null when it can.
   * What would do may stand in further lines.
   */
  missing(node: N, can: Capabilities, blueprint: Blueprint): string | null;
  /** Never throws for anything the world does. */
  perform(context: ActionContext<N>): Promise<NodeResult>;
}
