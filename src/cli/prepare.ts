import { createHash } from "node:crypto";
import { binding, type Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { exitCodes } from "../model/outcome.ts";
import type { SourceDocument } from "./document.ts";
import type { World } from "./world.ts";

/** A checked document and the configuration it will run with. */
export interface Prepared {
  readonly blueprint: Blueprint;
  readonly document: SourceDocument;
  readonly contentHash: string;
  readonly bindingHash: string;
  readonly config: Config;
}

/** The configuration here, or the exit code after its faults were printed. */
export async function readConfig(world: World, cwd: string): Promise<Config | number> {
  const { config, faults } = await loadConfig(cwd, world.env);
  if (faults.length === 0) return config;
  const { printProblems } = await import("./problems.ts");
  for (const fault of faults) {
    if (fault.unreadable === undefined) printProblems(world.err, fault.file, fault.text, fault.problems);
    else world.err.write(`trammel: ${fault.file} cannot be read: ${fault.unreadable}\n`);
  }
  return exitCodes.usage;
}

/** Checks the document. Warnings are printed and the run goes on; with an error the answer is the exit code. */
export async function prepare(world: World, document: SourceDocument, config: Config): Promise<Prepared | number> {
  const [{ check }, { canonical }, { toolNames }] = await Promise.all([
    import("../check/check.ts"),
    import("../language/canonical.ts"),
    import("./tool-names.ts"),
  ]);
  const { blueprint, diagnostics } = check(document.text, { tools: toolNames(config) });
  const said = diagnostics.filter((one) => one.severity !== "note");
  if (said.length > 0) {
    const { printProblems } = await import("./problems.ts");
    printProblems(world.err, document.name, document.text, said);
  }
  if (blueprint === null) return exitCodes.usage;
  return {
    blueprint: await bind(blueprint, config),
    document,
    contentHash: sha256(canonical(blueprint)),
    bindingHash: sha256(binding(config)),
    config,
  };
}

/** What the document leaves open comes from configuration; agentic nodes look theirs up themselves. */
export async function bind(blueprint: Blueprint, config: Config): Promise<Blueprint> {
  const { bindCommands } = await import("../language/stock/bind.ts");
  return withDefaults(bindCommands(blueprint, config.commands), config);
}

function withDefaults(blueprint: Blueprint, config: Config): Blueprint {
  return {
    ...blueprint,
    limits: { ...config.limits, ...blueprint.limits },
    workspace: { ...config.workspace, ...blueprint.workspace },
    records: { ...config.records, ...blueprint.records },
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
