import type { Clock } from "../ports/clock.ts";
import type { StartProcess } from "../ports/processes.ts";
import type { AgentProvider } from "../ports/provider.ts";
import type { Mask } from "../runtime/text.ts";
import { presets, type AcpAgent } from "./acp/presets.ts";
import { createAcpProvider } from "./acp/provider.ts";
import { guarded } from "./guarded.ts";

/** Agents that run in a box and are spoken to over its standard input and output. */
export interface BoxedAgents {
  /** Program and arguments of the agent that a provider's name stands for. */
  commandOf(provider: string | undefined): AcpAgent["argv"] | { readonly missing: string };
  /** `start` starts a command in the box; the environment it is given is that of the box alone. */
  provider(argv: AcpAgent["argv"], start: StartProcess): AgentProvider;
}

export interface BoxedAgentsConfiguration {
  /** Name of the configured provider. */
  readonly provider?: string;
  /** Program and arguments of provider `acp`. */
  readonly command?: AcpAgent["argv"];
  readonly clock: Clock;
  readonly mask: Mask;
}

export function createBoxedAgents({
  provider: configured,
  command,
  clock,
  mask,
}: BoxedAgentsConfiguration): BoxedAgents {
  const named = new Map<string, AcpAgent["argv"]>(Object.entries(presets).map(([name, { argv }]) => [name, argv]));
  if (command !== undefined) named.set("acp", command);
  return {
    commandOf(provider = configured) {
      const argv = provider === undefined ? undefined : named.get(provider);
      const names = [...named.keys()].join(", ");
      return argv ?? { missing: `no agent to start in the sandbox: give it a \`command\`, or a provider of ${names}` };
    },
    provider: (argv, start) =>
      guarded(
        createAcpProvider({
          name: "agent_sandbox",
          agent: { argv, variables: [], install: "" },
          environment: {},
          start,
          clock,
          boxed: true,
        }),
        mask,
      ),
  };
}
