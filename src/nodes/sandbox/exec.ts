import path from "node:path";
import type { ExecNode } from "../../model/node.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext, Performer } from "../../ports/performer.ts";
import type { Sandbox, SandboxFault, SandboxPool } from "../../ports/sandbox.ts";
import { invalid, saidValue, withFittingPorts } from "../../runtime/validation/said-value.ts";
import { readingNothing } from "../large-values.ts";
import { boxOf, faultResult, ownVariables, resultInBox } from "./common.ts";
import { portPath, takePorts } from "./ports.ts";
import { within } from "./within.ts";

/** Performs `exec` nodes: a shell command in a box, judged by its exit like a script. */
export function createExecPerformer(pool: SandboxPool, clock: Clock): Performer<ExecNode> {
  return {
    type: "exec",
    class: "deterministic",
    missing: () => null,
    perform: (context) => within(context, clock, (signal) => exec(context, pool, signal)),
  };
}

async function exec(context: ActionContext<ExecNode>, pool: SandboxPool, signal: AbortSignal): Promise<NodeResult> {
  const { node, timeoutMs } = context;
  const box = await boxOf(context, pool, signal);
  if ("fault" in box) return faultResult(box, context);
  const bound = await ownVariables(context);
  const nothing = readingNothing(node.run, bound.large);
  if (nothing !== null) return nothing;
  const files = await handOver(context, bound, box.sandbox, signal);
  if ("fault" in files) return faultResult(files, context);
  const stdin = await context.stdin();
  const result = await box.sandbox.exec(
    {
      argv: ["sh", "-c", node.run.replaceAll("\r\n", "\n")],
      cwd: path.posix.resolve(boxWorkspace, node.workdir ?? "."),
      env: { ...box.env, ...files.env, TRAMMEL_OUTPUT: portPath(context) },
      outputBytes: context.outputBytes,
      ...(stdin === undefined ? {} : { stdin }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
      onLine: (text, stream) => context.report({ kind: "line", stream, text }),
      onStart: (process) => context.report({ kind: "process", process }),
    },
    signal,
  );
  const ended = resultInBox(result, timeoutMs);
  const ports = result.end.kind === "exit" ? await takePorts(box.sandbox, portPath(context), context.can.blobs) : null;
  const named = ports !== null && "ports" in ports ? { ...ended, ports: ports.ports } : ended;
  const withPorts = await withFittingPorts(named, node.output);
  if (withPorts.outcome !== "success") return withPorts;
  if (ports !== null && "problem" in ports) return { ...ended, ...invalid(ports.problem) };
  return { ...withPorts, ...(await saidValue(result.stdout, node.output, context.can.blobs)) };
}

/** The variables of the run and the node. Values too large for one go in as files, and their variables say where. */
async function handOver(
  context: ActionContext<ExecNode>,
  { small, large }: Awaited<ReturnType<typeof ownVariables>>,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<{ readonly env: Readonly<Record<string, string>> } | SandboxFault> {
  const env: Record<string, string> = { ...small };
  for (const [name, file] of Object.entries(large)) {
    const inside = `/tmp/trammel/${context.node.id}/${name}`;
    const fault = await sandbox.copyIn(file, inside, signal);
    if (fault !== null) return fault;
    env[`${name}_FILE`] = inside;
  }
  return { env };
}
