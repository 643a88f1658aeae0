import type { Effect } from "../../model/blueprint.ts";
import { limits } from "../../model/limits.ts";
import type { ActionContext } from "../../ports/performer.ts";
import type { ProcessResult } from "../../ports/processes.ts";
import { patternCompiler } from "../validation/pattern.ts";

type ProbeContext = Pick<ActionContext, "can" | "cwd" | "environment" | "signal">;

/** Whether what an action does is there. `unknown`: its probe could not tell, and a person has to. */
export type Finding = "there" | "not_there" | "unknown";

/** Asks the probe of a node whose outcome a crash left unknown. */
export async function findEffect(context: ProbeContext, effect: Effect): Promise<Finding> {
  const holds = await ruleOf(effect.done);
  if (holds === null) return "unknown";
  const result = await context.can.processes.run(
    {
      argv: ["sh", "-c", effect.probe.replaceAll("\r\n", "\n")],
      cwd: context.cwd,
      env: await context.environment(),
      timeoutMs: limits.probeTimeoutMs,
      outputBytes: limits.outputTailBytes,
    },
    context.signal,
  );
  // A probe that cannot be run, was ended, or is no command says nothing about the effect.
  if (result.end.kind !== "exit" || result.end.code === 126 || result.end.code === 127) return "unknown";
  return holds(result.end.code, result) ? "there" : "not_there";
}

/** `exit N`, `contains TEXT` or `matches REGEX`, about what the probe wrote to stdout; null where it is none of them. */
async function ruleOf(done: string): Promise<((exit: number, result: ProcessResult) => boolean) | null> {
  const [, word, rest = ""] = /^(exit|contains|matches) (.+)$/s.exec(done) ?? [];
  switch (word) {
    case "exit":
      return (exit) => exit === Number(rest);
    case "contains":
      return (_, { stdout }) => stdout.text.includes(rest);
    case "matches": {
      const pattern = (await patternCompiler())(rest, { lines: true });
      return "problem" in pattern ? null : (_, { stdout }) => pattern.test(stdout.text);
    }
    default:
      return null;
  }
}
