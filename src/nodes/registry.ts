import type { NodeType } from "../model/node.ts";
import type { Clock } from "../ports/clock.ts";
import type { Performer } from "../ports/performer.ts";
import type { Plugin } from "../ports/plugin.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";
import { call } from "./call.ts";
import { createCodePerformer } from "./code.ts";
import { map } from "./map.ts";
import { collectPlugins, pluginPerformer } from "./plugins.ts";
import { createScriptPerformer } from "./script.ts";
import { tool } from "./tool.ts";
import { createWaitPerformer } from "./wait.ts";
import { unavailable } from "./unavailable.ts";

export interface PerformerParts {
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Performers made elsewhere (agents, people, boxes); each takes the place of the one of its type. */
  readonly handed: readonly Performer[];
  readonly plugins: readonly Plugin[];
}

export type Performers = ReadonlyMap<NodeType, Performer>;

const sandboxesMissing = "this process was set up without sandboxes";

const notHere: readonly Performer[] = [
  unavailable("agent", "agentic", "no way to run an agent is set up"),
  unavailable("human", "human", "nobody can be asked here"),
  unavailable("decide", "decision", "decisions are not there yet"),
  unavailable("provision", "deterministic", sandboxesMissing),
  unavailable("checkout", "deterministic", sandboxesMissing),
  unavailable("exec", "deterministic", sandboxesMissing),
  unavailable("agent_sandbox", "agentic", sandboxesMissing),
];

/** How every node type of the language is carried out here, or why it is not. */
export function createPerformers({
  redactor,
  clock,
  handed,
  plugins,
}: PerformerParts): Performers | { readonly problems: readonly string[] } {
  const performers = new Map<NodeType, Performer>(notHere.map((performer) => [performer.type, performer]));
  const builtIn = [
    createScriptPerformer(redactor, clock),
    createCodePerformer(redactor),
    createWaitPerformer(clock),
    tool,
    call,
    map,
  ];
  for (const performer of [...builtIn, ...handed]) performers.set(performer.type, performer);
  const found = collectPlugins(plugins, new Set(performers.keys()));
  if ("problems" in found) return found;
  return performers.set("plugin", pluginPerformer(found.nodes, redactor));
}
