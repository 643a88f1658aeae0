import type { AgentSettings } from "./agent-settings.ts";
import type { Decision } from "./decision.ts";
import type { Edge } from "./edge.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Template } from "./template.ts";
import type { InputSpec } from "./type-spec.ts";

/** How a node's stdout, or an agent's answer, is read. */
export type OutputFormat =
  | { readonly as: "text" | "lines" | "json" }
  | { readonly as: "schema"; readonly schema: JsonObject };

/**
 * `live` starts with the arms that came; `any` or k at the first or k-th arrival
 * of a pass. Absent: every arm that can still arrive.
 */
export type Join = "live" | "any" | number;

export interface Effect {
  readonly probe: string;
  /** Rule on the probe's outcome that says the effect is there. */
  readonly done: string;
}

/** Fields every node may have. Durations are milliseconds. */
export interface NodeCommon {
  readonly id: string;
  readonly title?: string;
  readonly note?: string;
  readonly was?: string;
  /** The stock node it was made from; configuration may supply its command. */
  readonly stock?: string;
  readonly cap?: number;
  readonly timeoutMs?: number;
  readonly retry?: number;
  readonly join?: Join;
  readonly losers?: "cancel" | "drain";
  readonly env?: Readonly<Record<string, Template>>;
  readonly secrets?: readonly string[];
  readonly stdin?: Template;
  readonly output?: OutputFormat;
  readonly expect?: "success" | "failure";
  readonly effect?: Effect;
  readonly idempotent?: boolean;
  readonly progress?: string;
  readonly writes?: readonly string[];
}

export interface AgentNode extends NodeCommon, AgentSettings {
  readonly type: "agent";
  readonly prompt: Template;
  readonly options?: readonly string[];
}

export interface ToolNode extends NodeCommon {
  readonly type: "tool";
  readonly tool: string;
  /** Strings inside are templates; see {@link ToolArguments}. */
  readonly args: ToolArguments;
}

/** Arguments of a tool: JSON in which every string is a template. */
export type ToolArguments = { readonly [name: string]: ToolArgument };
export type ToolArgument =
  | { readonly kind: "template"; readonly template: Template }
  | { readonly kind: "literal"; readonly value: null | boolean | number }
  | { readonly kind: "list"; readonly items: readonly ToolArgument[] }
  | { readonly kind: "map"; readonly entries: ToolArguments };

export interface ScriptNode extends NodeCommon {
  readonly type: "script";
  readonly run: string;
  readonly shell?: "sh" | "bash";
  readonly autofix?: string;
  readonly cwd?: string;
}

export interface HumanOption {
  readonly id: string;
  readonly title?: string;
}

export interface HumanNode extends NodeCommon {
  readonly type: "human";
  readonly prompt: Template;
  readonly mode: "input" | "approval" | "choice" | "form";
  readonly show?: readonly Template[];
  readonly options?: readonly HumanOption[];
  readonly fields?: Readonly<Record<string, InputSpec>>;
  readonly default?: Json;
  readonly approvers?: readonly string[];
}

export interface ProvisionNode extends NodeCommon {
  readonly type: "provision";
  readonly image: string;
  /** Names of variables of the engine's environment to forward; `env` of other nodes does not exist here. */
  readonly forward?: readonly string[];
  readonly network?: string;
  readonly memoryBytes?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly mount?: readonly string[];
}

export interface CheckoutNode extends NodeCommon {
  readonly type: "checkout";
  readonly container: Template;
  readonly repo: Template;
  readonly ref?: Template;
  readonly path?: Template;
}

export interface ExecNode extends NodeCommon {
  readonly type: "exec";
  readonly container: Template;
  readonly run: string;
  readonly workdir?: string;
}

export interface AgentSandboxNode extends NodeCommon, AgentSettings {
  readonly type: "agent_sandbox";
  readonly container: Template;
  readonly prompt: Template;
  readonly port?: number;
  readonly command?: string;
}

export interface CodeNode extends NodeCommon {
  readonly type: "code";
  readonly language: "js" | "ts";
  readonly body: string;
  readonly with?: Readonly<Record<string, ToolArgument>>;
}

export interface WaitNode extends NodeCommon {
  readonly type: "wait";
  readonly forMs?: number;
  readonly until?: string;
}

/** Runs another blueprint as one node. */
export interface CallNode extends NodeCommon {
  readonly type: "call";
  /** A path relative to the document, or a name in the project's folder. */
  readonly blueprint?: string;
  readonly solution?: string;
  readonly with?: ToolArguments;
  /** Content hash of the callee, once it is resolved; part of the caller's own. */
  readonly pin?: string;
}

/** The graph inside a `map` node; names in it differ from those around it. */
export interface MapBody {
  readonly entry: string;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
}

/** Runs its body once for each item of a list. */
export interface MapNode extends NodeCommon {
  readonly type: "map";
  readonly over: Template;
  readonly do: MapBody;
  readonly max?: number;
  readonly parallel?: number;
}

export type DecideNode = NodeCommon & Decision;

/**
 * A node type supplied by a plug-in; `fields` were checked against the schema it
 * declared, `templates` are those with references.
 */
export interface PluginNode extends NodeCommon {
  readonly type: "plugin";
  readonly plugin: string;
  /** Its passes are counted and capped like those of an agent. */
  readonly agentic?: true;
  readonly fields: JsonObject;
  readonly templates?: ToolArguments;
}

export type Node =
  | AgentNode
  | ToolNode
  | ScriptNode
  | HumanNode
  | ProvisionNode
  | CheckoutNode
  | ExecNode
  | AgentSandboxNode
  | CodeNode
  | WaitNode
  | CallNode
  | MapNode
  | DecideNode
  | PluginNode;

export type NodeType = Node["type"];

export type NodeClass = "deterministic" | "agentic" | "human" | "decision" | "wrapper";

const agentic: ReadonlySet<NodeType> = new Set<NodeType>(["agent", "agent_sandbox"]);

export function classOf(node: { readonly type: NodeType; readonly agentic?: true }): NodeClass {
  if (agentic.has(node.type) || node.agentic === true) return "agentic";
  if (isWrapper(node)) return "wrapper";
  if (node.type === "decide") return "decision";
  return node.type === "human" ? "human" : "deterministic";
}

/** Whether performing a node is nothing but runs inside it, which have journals of their own. */
export function isWrapper(node: { readonly type: NodeType }): boolean {
  return node.type === "call" || node.type === "map";
}

/** Every node, those inside maps included. */
export function* allNodes({ nodes }: Pick<MapBody, "nodes">): Generator<Node> {
  for (const node of nodes.values()) {
    yield node;
    if (node.type === "map") yield* allNodes(node.do);
  }
}

/** Whether performing a node is no work but a wait for a person or a time: it takes no place and no running time. */
export function isWait(node: Node): boolean {
  return node.type === "human" || node.type === "wait";
}
