import type { AgentSettings } from "../model/agent-settings.ts";
import type { Money, RecordSettings, RunLimits, WorkspaceSettings } from "../model/settings.ts";
import { stableJson } from "../model/json.ts";
import { pairings } from "./pairing.ts";

/** Defaults of agentic nodes, and how their provider is reached. */
export interface AgentConfig extends AgentSettings {
  /** Address of the vendor of `model`, where it is not the vendor's own. */
  readonly baseUrl?: string;
  /** Name of the environment variable that holds its key; never the key. */
  readonly key?: string;
  /** Program and arguments of the agent that provider `acp` starts. */
  readonly command?: readonly string[];
  /** Absolute folder of cassettes that provider `replay` plays. */
  readonly cassettes?: string;
}

/** What a model costs, for a million tokens. */
export interface Price {
  /** Of all that it reads, cached or not. */
  readonly input: Money;
  readonly output: Money;
}

/** A server of the Model Context Protocol: a program to start, or an address. */
export interface McpServerConfig {
  readonly command?: readonly string[];
  /** Names of variables that the program gets beside the common ones. */
  readonly variables?: readonly string[];
  readonly url?: string;
  /** Name of the variable that holds the bearer token of the address. */
  readonly key?: string;
}

/** A module that brings node types: a path from the file that names it, or a package found from there. */
export interface PluginConfig {
  readonly name: string;
  /** Absolute path of the configuration file. */
  readonly file: string;
}

export interface SandboxConfig {
  /** Which driver makes boxes from images of a container engine; absent: the first engine that works. */
  readonly driver?: "docker" | "podman" | "bubblewrap";
}

/** How long what runs leave behind is kept; both bounds hold, whichever comes first. */
export interface Kept {
  readonly ageMs?: number;
  readonly bytes?: number;
}

export interface RetentionConfig {
  /** Full outputs and patches of runs that are over. */
  readonly runs?: Kept;
  /** Milliseconds that a run which is over stays in the journal. */
  readonly history?: number;
}

/** What `system-supervisor-quick-audit` looks for beside its state file. */
export interface AuditConfig {
  /** Extended regular expressions, looked for in every tracked file. */
  readonly patterns?: readonly string[];
}

/** How somebody is told that a run waits for a person. */
export interface NotifyConfig {
  readonly desktop?: boolean;
  /** For `sh -c`. */
  readonly command?: string;
  readonly webhook?: string;
}

/** `trammel.yaml` over the user's own file. Everything is optional; absent means the built-in default. */
export interface Config {
  /** Blueprint that `run` uses without `-b`. */
  readonly default?: string;
  /** Commands of the stock nodes, by node name. */
  readonly commands: Readonly<Record<string, string>>;
  /** Commands that mend what a stock check finds, by node name. */
  readonly autofix: Readonly<Record<string, string>>;
  /** Named commands that a tool node and an agent may call. */
  readonly tools: Readonly<Record<string, string>>;
  readonly agent: AgentConfig;
  readonly limits: RunLimits;
  readonly workspace: WorkspaceSettings;
  readonly records: RecordSettings;
  readonly sandbox: SandboxConfig;
  /** Loaded where a blueprint uses a node type that is not built in. */
  readonly plugins: readonly PluginConfig[];
  /** By name; their tools are called `mcp_<name>_<tool>`. */
  readonly mcp: Readonly<Record<string, McpServerConfig>>;
  /** Addresses that a key may be sent to beside its vendor's own, by variable. Only the user's file says so. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** By model as vendor/name. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly locale?: string;
  readonly audit: AuditConfig;
  readonly retention: RetentionConfig;
  readonly notify: NotifyConfig;
}

export const emptyConfig: Config = {
  commands: {},
  autofix: {},
  tools: {},
  agent: {},
  limits: {},
  workspace: {},
  records: {},
  sandbox: {},
  keys: {},
  prices: {},
  mcp: {},
  plugins: [],
  audit: {},
  retention: {},
  notify: {},
};

/** The project's settings win, field by field; where keys may go only the user says. */
export function merge(user: Config, project: Config): Config {
  const name = project.default ?? user.default;
  const locale = project.locale ?? user.locale;
  return {
    ...(name === undefined ? {} : { default: name }),
    ...(locale === undefined ? {} : { locale }),
    commands: { ...user.commands, ...project.commands },
    autofix: { ...user.autofix, ...project.autofix },
    tools: { ...user.tools, ...project.tools },
    agent: { ...user.agent, ...project.agent },
    limits: { ...user.limits, ...project.limits },
    workspace: { ...user.workspace, ...project.workspace },
    records: { ...user.records, ...project.records },
    sandbox: { ...user.sandbox, ...project.sandbox },
    keys: pairings(user),
    prices: { ...user.prices, ...project.prices },
    mcp: { ...user.mcp, ...project.mcp },
    plugins: [...user.plugins, ...project.plugins],
    audit: { ...user.audit, ...project.audit },
    retention: { ...user.retention, ...project.retention },
    notify: { ...user.notify, ...project.notify },
  };
}

/** What of the configuration decides how a run behaves, as one line of JSON; its SHA-256 is the binding hash. */
export function binding(config: Config): string {
  const { commands, tools, agent, mcp, locale = null, plugins, audit, autofix, limits, workspace, records } = config;
  const named = plugins.length === 0 ? undefined : plugins.map(({ name }) => name);
  const defaults = Object.entries({ autofix, limits, workspace, records }).filter(
    ([, one]) => Object.keys(one).length > 0,
  );
  const said = { commands, tools, agent, mcp, locale, plugins: named, audit: audit.patterns };
  return stableJson({ ...said, ...Object.fromEntries(defaults) });
}
