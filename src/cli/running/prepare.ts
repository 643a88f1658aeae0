import { createHash } from "node:crypto";
import { binding, type Config } from "../../config/config.ts";
import { type ConfigFault, loadConfig } from "../../config/load.ts";
import { allNodes } from "../../model/node.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { CalleePins } from "../../model/bound.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { Plugin } from "../../ports/plugin.ts";
import type { Callees, StartRequest } from "../../runtime/api.ts";
import type { LookUp, Resolved } from "../documents/callees.ts";
import type { SourceDocument } from "../documents/document.ts";
import { isProblem, type Problem, report } from "../problem.ts";
import { escaped } from "../../views/inert.ts";
import type { World } from "../world.ts";

/** A checked document and the configuration it will run with. */
export interface Prepared {
  readonly blueprint: Blueprint;
  readonly document: SourceDocument;
  readonly contentHash: string;
  /** What configuration supplies, as text. */
  readonly binding: string;
  readonly bindingHash: string;
  readonly config: Config;
  /** What its calls lead to. */
  readonly callees: Callees;
  readonly calls: CalleePins;
  /** Those whose node types it uses, or something that it calls. */
  readonly plugins: readonly Plugin[];
}

/** The configuration here, or the exit code after its faults were printed. */
export async function readConfig(world: World, cwd: string): Promise<Config | number> {
  const { config, faults } = await loadConfig(cwd, world.env);
  return faults.length === 0 ? config : printFaults(world, faults);
}

/** Prints why configuration cannot be used. */
export async function printFaults(world: World, faults: readonly ConfigFault[]): Promise<number> {
  const { printProblems } = await import("../problems.ts");
  for (const fault of faults) {
    if (fault.unreadable === undefined) printProblems(world.err, fault.file, fault.text, fault.problems);
    else world.err.write(`trammel: ${escaped(`${fault.file} cannot be read: ${fault.unreadable}`)}\n`);
  }
  return exitCodes.usage;
}

/** Checks the document. Warnings are printed and the run goes on; with an error the answer is the exit code. */
export async function prepare(
  world: World,
  document: SourceDocument,
  config: Config,
  look: Pick<LookUp, "kept" | "pinning"> = {},
): Promise<Prepared | number> {
  const [{ checkDocument }, { canonical }, { toolNames }] = await Promise.all([
    import("../plugins/plugins.ts"),
    import("../../language/canonical.ts"),
    import("../tool-names.ts"),
  ]);
  const { blueprint, diagnostics, plugins, faults } = await checkDocument(document.text, config, {
    tools: toolNames(config),
  });
  if (faults.length > 0) return printFaults(world, faults);
  const said = diagnostics.filter((one) => one.severity !== "note");
  if (said.length > 0) {
    const { printProblems } = await import("../problems.ts");
    printProblems(world.err, document.name, document.text, said);
  }
  if (blueprint === null) return exitCodes.usage;
  const resolved = await withCalls(blueprint, document, { ...look, config, project: world.cwd, bind });
  if (isProblem(resolved)) return report(world, resolved);
  return {
    blueprint: await bind(resolved.blueprint, config),
    document,
    contentHash: sha256(canonical(resolved.blueprint)),
    ...bindingOf(config),
    config,
    plugins: [...new Set([...plugins, ...resolved.plugins])],
    callees: resolved.callees,
    calls: resolved.calls,
  };
}

/** The same, where the configuration has come to say which agent there is, and nothing else. */
export function withAgentOf(prepared: Prepared, config: Config): Prepared {
  return { ...prepared, config, ...bindingOf(config) };
}

function bindingOf(config: Config): Pick<Prepared, "binding" | "bindingHash"> {
  const text = binding(config);
  return { binding: text, bindingHash: sha256(text) };
}

/** A blueprint without calls has nothing to look up. */
export async function withCalls(
  blueprint: Blueprint,
  document: SourceDocument,
  look: LookUp,
): Promise<Resolved | Problem> {
  if (![...allNodes(blueprint)].some((node) => node.type === "call"))
    return { blueprint, callees: new Map(), calls: {}, plugins: [] };
  const { resolveCalls } = await import("../documents/callees.ts");
  return resolveCalls(blueprint, document, look);
}

type BoundBy = "blueprint" | "contentHash" | "binding" | "bindingHash" | "callees" | "calls";

/** What a run is bound to, as a request to start or to go on says it. */
export function boundBy(prepared: Prepared): Pick<StartRequest, BoundBy> & { readonly document: string } {
  const { blueprint, document, contentHash, binding: text, bindingHash, callees, calls } = prepared;
  const called = callees.size === 0 ? {} : { callees, calls };
  return { blueprint, document: document.text, contentHash, binding: text, bindingHash, ...called };
}

/** What the document leaves open comes from configuration; agentic nodes look theirs up themselves. */
export async function bind(blueprint: Blueprint, config: Config): Promise<Blueprint> {
  const { bindCommands } = await import("../../language/stock/bind.ts");
  return withDefaults(bindCommands(blueprint, config), config);
}

function withDefaults(blueprint: Blueprint, config: Config): Blueprint {
  const locale = blueprint.locale ?? config.locale;
  return {
    ...blueprint,
    ...(locale === undefined ? {} : { locale }),
    limits: { ...config.limits, ...blueprint.limits },
    workspace: { ...config.workspace, ...blueprint.workspace },
    records: { ...config.records, ...blueprint.records },
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
