import { advance } from "../src/engine/advance.ts";
import { initial } from "../src/engine/state.ts";
import type { Plan } from "../src/graph/plan.ts";
import { compile } from "../src/graph/plan.ts";
import type { Blueprint, Edge, Node } from "../src/model/blueprint.ts";
import type { Command } from "../src/model/commands.ts";
import type { EventBody } from "../src/model/events.ts";

/** The engine without I/O: every node succeeds as soon as it is performed. */
export interface EngineFigure {
  readonly graph: string;
  readonly nodes: number;
  readonly edges: number;
  readonly compileUs: number;
  /** Microseconds of CPU per node, best of the rounds. */
  readonly usPerNode: number;
  readonly events: number;
}

const graphs: readonly (readonly [string, () => Blueprint])[] = [
  ["linear 1,000", () => linear(1_000)],
  ["linear 10,000", () => linear(10_000)],
  ["fan 1,000", () => fan(1_000)],
  ["fan 10,000", () => fan(10_000)],
  ["layers 30 × 30", () => layers(30, 30)],
  ["skewed join 10,000", () => skewed(10_000)],
];

export function measureEngine(rounds = 5): EngineFigure[] {
  return graphs.map(([graph, make]) => measure(graph, make(), rounds));
}

function measure(graph: string, blueprint: Blueprint, rounds: number): EngineFigure {
  let compileUs = Infinity;
  let runUs = Infinity;
  let events = 0;
  let plan = compile(blueprint);
  for (let round = 0; round < rounds; round += 1) {
    compileUs = Math.min(
      compileUs,
      microseconds(() => {
        plan = compile(blueprint);
      }),
    );
    runUs = Math.min(
      runUs,
      microseconds(() => {
        events = run(plan);
      }),
    );
  }
  const nodes = blueprint.nodes.size;
  return { graph, nodes, edges: blueprint.edges.length, compileUs, usPerNode: runUs / nodes, events };
}

function microseconds(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1_000;
}

const started: EventBody = {
  type: "run.started",
  taskId: "bench",
  task: "",
  blueprint: "bench",
  contentHash: "",
  bindingHash: "",
  inputs: {},
  cwd: "/",
  owner: { pid: 1, startTime: "1", bootId: "bench" },
};

/** Number of events; each outcome is delivered by itself, as it is where nodes really run. */
function run(plan: Plan): number {
  const state = initial(plan, {});
  const pending: Command[] = [];
  let events = 0;
  let incoming: EventBody = started;
  for (let next = 0; ; next += 1) {
    const step = advance(state, [incoming], next);
    events += step.events.length;
    for (const command of step.commands) if (command.type === "perform") pending.push(command);
    const command = pending[next];
    if (command?.type !== "perform") return events;
    const { node, pass, attempt } = command;
    incoming = { type: "node.ended", node, pass, attempt, result: { outcome: "success" } };
  }
}

function blueprint(ids: readonly string[], edges: readonly Edge[]): Blueprint {
  const nodes = ids.map((id): Node => ({ id, type: "script", run: "true" }));
  return {
    name: "bench",
    inputs: {},
    outputs: {},
    agent: {},
    limits: {},
    escalate: [],
    records: {},
    workspace: {},
    concurrency: {},
    entry: ids[0] ?? "",
    nodes: new Map(nodes.map((node) => [node.id, node])),
    edges,
  };
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, "0")}`);
}

function chain(ids: readonly string[]): Edge[] {
  return ids.slice(1).map((to, index) => ({ from: ids[index] ?? "", to }));
}

function linear(count: number): Blueprint {
  const ids = names("n", count);
  return blueprint(ids, chain(ids));
}

function fan(width: number): Blueprint {
  const arms = names("w", width);
  const out = arms.map((to): Edge => ({ from: "start", when: "success", to }));
  return blueprint(["start", ...arms, "join"], [...out, ...arms.map((from): Edge => ({ from, to: "join" }))]);
}

function layers(width: number, depth: number): Blueprint {
  const rows = Array.from({ length: depth }, (_, row) => names(`l${String(row).padStart(2, "0")}_`, width));
  const edges = rows.flatMap((row, index): Edge[] => {
    const above = rows[index - 1] ?? ["start"];
    return above.flatMap((from) => row.map((to): Edge => ({ from, when: "success", to })));
  });
  return blueprint(["start", ...rows.flat()], edges);
}

/** One arm of one edge and one as long as the graph. */
function skewed(count: number): Blueprint {
  const ids = names("n", count);
  const [first = ""] = ids;
  return blueprint([...ids, "join"], [...chain([...ids, "join"]), { from: first, to: "join" }]);
}
