import { cancelled, untouched } from "../ending.ts";
import { which } from "../../runtime/processes/which.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StartProcess } from "../../ports/processes.ts";
import type { AgentProvider } from "../../ports/provider.ts";
import type { AcpAgent } from "./presets.ts";
import { holdTo, unheldTools } from "./tool-scope.ts";

export interface AcpParts {
  readonly name: string;
  readonly agent: AcpAgent;
  /** Our own, of which it gets what `agent` names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly start: StartProcess;
  readonly clock: Clock;
  /** Its files are not ours: a path that it names means nothing here. */
  readonly boxed?: boolean;
}

/**
 * An agent of its own make, spoken to over the Agent Client Protocol. It gets the environment of its node and, of ours,
 * only the variables its `agent` names. It brings its own tools: the policy answers what it asks for, and ends it when
 * it does without asking what it may not. The protocol and the agent are loaded when the first one runs.
 */
export function createAcpProvider({ name, agent, environment, start, clock, boxed = false }: AcpParts): AgentProvider {
  return {
    name,
    missing(_model, settings) {
      const [program] = agent.argv;
      if (which(program, environment["PATH"]) === null) return `${program} is not on the PATH; ${agent.install}`;
      if (settings?.context?.only === "require")
        return `\`context.only: require\` cannot hold an agent that brings its own tools (provider ${name}); use \`only: report\`, provider ai, or a sandbox`;
      if (settings?.tools === undefined) return null;
      if (agent.scope !== undefined) return unheldTools(settings.tools, agent.scope, name);
      return `\`tools\` cannot hold an agent that brings its own (provider ${name}); leave them out, use a policy, or use provider ai`;
    },
    async run(request, emit, signal) {
      if (signal.aborted) return { ...untouched, ...cancelled };
      const own = agent.variables.flatMap((key) =>
        environment[key] === undefined ? [] : [[key, environment[key]] as const],
      );
      const env = { ...Object.fromEntries(own), ...request.env };
      const { toolScope } = request;
      const held = toolScope === null || agent.scope === undefined ? null : await holdTo(toolScope, agent.scope);
      try {
        const child = await start({ argv: [...agent.argv, ...(held?.argv ?? [])], cwd: request.workspace, env });
        if ("kind" in child)
          return { ...untouched, outcome: "error", reason: { code: "could_not_start", text: child.message } };
        request.onProcess?.(child.process);
        const { converse } = await import("./run.ts");
        return await converse({ child, request, emit, signal, clock, boxed, meta: held?.meta ?? null });
      } finally {
        await held?.dispose();
      }
    },
  };
}
