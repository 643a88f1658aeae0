import type { CodeNode, ScriptNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext } from "../ports/performer.ts";
import type { ProcessResult, ProcessSpec } from "../ports/processes.ts";
import { newPortFile } from "../runtime/environment/port-file.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { resultOf } from "./process-result.ts";
import { invalid, withFittingPorts } from "../runtime/validation/said-value.ts";

export interface Ran {
  readonly process: ProcessResult;
  /** Ports included. */
  readonly result: NodeResult;
}

/**
 * Runs a command of a node with all that its document binds, and reads the ports it wrote; `redactor` masks those. It
 * has the whole time of the node where it is given none.
 */
export async function runCommand(
  context: ActionContext<ScriptNode | CodeNode>,
  command: Pick<ProcessSpec, "argv" | "cwd" | "env" | "memoryBytes" | "timeoutMs">,
  redactor: Redactor,
): Promise<Ran> {
  const { timeoutMs, outputBytes, signal } = context;
  const portFile = newPortFile();
  const stdin = await context.stdin();
  const ended = await context.can.processes.run(
    {
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...command,
      env: { ...command.env, TRAMMEL_OUTPUT: portFile.path },
      outputBytes,
      ...(stdin === undefined ? {} : { stdin }),
      onLine: (text, stream) => context.report({ kind: "line", stream, text }),
      onStart: (process) => context.report({ kind: "process", process }),
    },
    signal,
  );
  const result = resultOf(ended, timeoutMs);
  const ports = await portFile.take();
  if (ports === null) return { process: ended, result };
  if ("ports" in ports) {
    const named = { ...result, ports: redactor.record(ports.ports) };
    return { process: ended, result: await withFittingPorts(named, context.node.output) };
  }
  return { process: ended, result: result.outcome === "success" ? { ...result, ...invalid(ports.problem) } : result };
}
