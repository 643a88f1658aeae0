import { join } from "node:path";
import { nothingInside } from "./nothing-inside.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import type { Json } from "../../src/model/json.ts";
import { limits } from "../../src/model/limits.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { Template } from "../../src/model/template.ts";
import type { ActionContext, Capabilities, Performer, Progress } from "../../src/ports/performer.ts";
import type { ToolRegistry } from "../../src/ports/tool.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { childEnvironment } from "../../src/runtime/environment/child.ts";
import { createRedactor, type Redactor } from "../../src/runtime/redaction/redactor.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { createProcessRunner } from "../../src/runtime/processes/runner.ts";
import { RunValues } from "../../src/runtime/values.ts";
import { RunnerBench } from "./runner-bench.ts";

export interface Performing {
  readonly results?: ReadonlyMap<string, NodeResult>;
  readonly inputs?: Readonly<Record<string, Json>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Blueprint["limits"];
  readonly timeoutMs?: number;
  readonly outputBytes?: number;
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  readonly since?: number;
}

/** Performs single nodes with the real runner, store, environment and values; no engine. */
export class NodeBench extends RunnerBench {
  readonly redactor: Redactor = createRedactor();
  readonly progress: Progress[] = [];
  readonly can: Capabilities;

  constructor(tools: (blobs: string) => ToolRegistry = () => ({ get: () => undefined, names: () => [] })) {
    super();
    this.can = {
      processes: createProcessRunner({ blobs: fileBlobs(this.blobs), redactor: this.redactor, clock: this.hourglass }),
      blobs: fileBlobs(this.blobs),
      gates: { ask: async () => ({ kind: "nobody" }) },
      tools: tools(this.blobs),
      provider: () => ({ missing: "no provider" }),
    };
  }

  perform<N extends Node>(performer: Performer<N>, node: N, performing: Performing = {}): Promise<NodeResult> {
    return performer.perform(this.context(node, performing));
  }

  context<N extends Node>(node: N, performing: Performing = {}): ActionContext<N> {
    const { inputs = {}, results = new Map() } = performing;
    const blueprint = blueprintOf(node, performing.limits);
    const environment = childEnvironment({
      base: this.spec([]).env,
      ownFolders: [],
      redactor: this.redactor,
      blobs: this.can.blobs,
      secret: async () => null,
      home: join(this.folder, ".home"),
    });
    return {
      run: "r1",
      taskId: "r1",
      blueprint,
      node,
      attempt: { node: node.id, pass: 1, attempt: 1 },
      children: nothingInside,
      since: performing.since ?? systemClock.now(),
      cwd: this.folder,
      values: new RunValues({ task: "the task", inputs, results }, this.can.blobs),
      environment: () =>
        environment({
          run: "r1",
          taskId: "r1",
          node,
          blueprint,
          cwd: this.folder,
          project: this.folder,
          inputs: {},
          env: performing.env ?? {},
        }),
      stdin: async () => performing.stdin,
      timeoutMs: performing.timeoutMs ?? limits.deterministicTimeoutMs,
      outputBytes: performing.outputBytes ?? limits.outputDefaultBytes,
      can: this.can,
      signal: performing.signal ?? new AbortController().signal,
      report: (progress) => this.progress.push(progress),
      recorded: () => Promise.resolve(),
    };
  }
}

/** A blueprint of one node. */
export function blueprintOf(
  node: Node,
  runLimits: Blueprint["limits"] = {},
  sensitive: readonly string[] = [],
): Blueprint {
  return {
    name: "bench",
    inputs: Object.fromEntries(sensitive.map((name) => [name, { type: { kind: "string" }, sensitive: true }])),
    outputs: {},
    agent: {},
    limits: runLimits,
    escalate: [],
    records: {},
    workspace: {},
    concurrency: {},
    entry: node.id,
    nodes: new Map([[node.id, node]]),
    edges: [],
  };
}

/** A template of text alone. */
export function text(source: string): Template {
  return { source, parts: [{ text: source }] };
}

/** A template that is one reference to a node. */
export function reference(node: string): Template {
  const source = `{${node}}`;
  return { source, parts: [{ ref: { source: "node", name: node, path: [], start: 0, end: source.length } }] };
}
