import type { Diagnostic } from "../model/diagnostic.ts";
import { agentSettings } from "../language/fields/agent.ts";
import { documentFields } from "../language/fields/document.ts";
import { listOf, mapOf, oneOrMore } from "../language/read/collections.ts";
import { configured, configuredVariable, keyVariable } from "../language/fields/variable-names.ts";
import { object, optional, readFields, required } from "../language/read/table.ts";
import { Reading } from "../language/read/reading.ts";
import { boolean, duration, money, text, word } from "../language/read/scalars.ts";
import { entryOf } from "../language/tree.ts";
import { readYaml } from "../language/yaml.ts";
import { pluginName } from "./plugins.ts";
import { kept } from "./retention.ts";
import { type Config, emptyConfig } from "./config.ts";

const bareAddress = text({ pattern: /^https?:\/\/[^\s@]+$/, words: "an http or https address without credentials" });
/** Credentials in it are refused as any value of a secret is: no message repeats them. */
const address: typeof bareAddress = {
  ...bareAddress,
  read(node, reading, field) {
    if (node.kind !== "scalar" || !node.source.includes("@")) return bareAddress.read(node, reading, field);
    const hint = "Write the address without them, and name the variable that holds the key.";
    const { start } = node.range;
    reading.problem("value-in-env", { start, end: start + 1 }, `${reading.place(field)} may hold no credentials`, hint);
    return undefined;
  },
};
const toolNames = {
  pattern: /^(?!(?:answer|give_up)$)[A-Za-z0-9_-]{1,64}$/,
  words: "letters, digits, _ and -, at most 64, and neither answer nor give_up, which every agent has",
};

const agent = object(
  {
    ...agentSettings,
    baseUrl: optional(address, "Address of the vendor of the model, e.g. of a local server."),
    key: optional(keyVariable, "Environment variable that holds the key."),
    command: optional(oneOrMore(text()), "Program and arguments of the agent that provider acp starts."),
    cassettes: optional(text(), "Folder of the cassettes that provider replay plays."),
  },
  "`agent`",
);

const sandbox = object(
  {
    driver: optional(word("docker", "podman", "bubblewrap"), "What makes sandboxes from images of a container engine."),
  },
  "`sandbox`",
);

const serverNames = { pattern: /^[A-Za-z0-9_-]{1,24}$/, words: "letters, digits, _ and -, at most 24" };

const server = object(
  {
    command: optional(oneOrMore(text()), "Program and arguments to start."),
    variables: optional(
      listOf(configuredVariable),
      "Environment variables that the program gets beside the common ones.",
    ),
    url: optional(address, "Address, instead of a program."),
    key: optional(keyVariable, "Environment variable that holds the token for the address."),
  },
  "a server",
);

const price = object(
  {
    input: required(money, "For a million tokens that it reads, e.g. 3 USD."),
    output: required(money, "For a million tokens that it writes."),
  },
  "a price",
);

const retention = object(
  {
    runs: optional(kept, "How long, or up to what size, full outputs and patches of runs are kept."),
    history: optional(duration, "How long a run that is over stays in the journal."),
  },
  "`retention`",
);

const audit = object(
  {
    patterns: optional(listOf(text()), "Regular expressions that no tracked file may hold (`git grep -E`)."),
  },
  "`audit`",
);

const notify = object(
  {
    desktop: optional(boolean, "A message on the desktop."),
    command: optional(text(), "A command, run by sh, that gets the notice as JSON on its standard input."),
    webhook: optional(address, "An address that the notice is posted to as JSON."),
  },
  "`notify`",
);

/** Every key of a configuration file. */
export const configFields = {
  default: optional(text(), "Blueprint that `trammel run` uses without -b: a name, or a path from this file."),
  commands: optional(mapOf(text()), "Commands of the stock nodes, by node name."),
  autofix: optional(
    mapOf(text()),
    "Commands that mend what a stock check finds, by node name; once, then it checks again.",
  ),
  tools: optional(mapOf(text(), toolNames), "Named commands that tool nodes and agents may call."),
  agent: optional(agent, "Defaults of agentic nodes and how their model is reached."),
  limits: documentFields.limits,
  workspace: documentFields.workspace,
  records: documentFields.records,
  sandbox: optional(sandbox, "How sandboxes are made."),
  mcp: optional(
    mapOf(server, serverNames),
    "Servers of the Model Context Protocol, whose tools agents and tool nodes may use.",
  ),
  plugins: optional(
    oneOrMore(pluginName),
    "Modules that bring node types: paths from this file, or packages. Their code runs in Trammel itself.",
  ),
  keys: optional(
    mapOf(oneOrMore(address), configured),
    "In your own file: addresses that a key may be sent to when a project names them, by its variable.",
  ),
  prices: optional(mapOf(price), "What models cost, by vendor/name; `limits.cost` needs it."),
  locale: documentFields.locale,
  audit: optional(audit, "What `system-supervisor-quick-audit` looks for beside its state file."),
  notify: optional(notify, "How somebody is told that a run waits for a person."),
  retention: optional(retention, "What `trammel prune` keeps."),
};

export interface ParsedConfig {
  readonly config: Config;
  /** Empty when the file is sound. */
  readonly problems: readonly Diagnostic[];
}

/**
 * Reads a configuration file, a user's own or a project's. Unknown keys are problems, as in a
 * blueprint; a file without content is an empty configuration.
 */
export function parseConfig(source: string, whose: "user" | "project" = "user"): ParsedConfig {
  const problems: Diagnostic[] = [];
  const reading = new Reading((problem) => problems.push(problem) > 0);
  reading.owner = "the configuration";
  if (/^(?:\s*(?:#.*)?(?:\n|$))*$/.test(source)) return { config: emptyConfig, problems };
  const tree = readYaml(source, (problem) => problems.push(problem) > 0);
  if (tree === null) return { config: emptyConfig, problems };
  if (tree.kind !== "map") {
    reading.problem("wrong-type", tree, "The configuration must be a map");
    return { config: emptyConfig, problems };
  }
  const keys = entryOf(tree, "keys");
  if (whose === "project" && keys !== undefined)
    reading.problem(
      "unknown-field",
      keys.key,
      "A project cannot say where keys may go: `keys` belongs into your own file",
      "Move it to ~/.config/trammel/config.yaml.",
    );
  const read = readFields(tree, configFields, reading) ?? {};
  return { config: { ...emptyConfig, ...read }, problems };
}
