import { toJson } from "../../check/format.ts";
import type { CheckedFile } from "../../check/sarif.ts";
import type { Money } from "../../model/settings.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { ConfigFault } from "../../config/load.ts";
import type { FileBound, SoundBlueprint } from "../running/bounds.ts";
import type { CalleeLookup } from "../documents/callee-lookup.ts";
import type { SourceDocument } from "../documents/document.ts";
import { documentsAt } from "../documents/documents.ts";
import { lockBeside } from "../documents/lock.ts";
import { checkDocument, configHere } from "../plugins/plugins.ts";
import { printFaults } from "../running/prepare.ts";
import { isProblem, report, usage } from "../problem.ts";
import { printProblems } from "../problems.ts";
import { toolNames } from "../tool-names.ts";
import { version } from "../version.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface CheckOptions {
  readonly format: "text" | "json" | "sarif" | "github";
  readonly bound?: true;
  readonly maxAgentPasses?: number;
  readonly maxCost?: Money;
}

type CheckFormat = CheckOptions["format"];

/** Checks every file, and every blueprint of a folder; offline, without the store. Warnings and notes never reject. */
export async function check(world: World, places: readonly string[], options: CheckOptions): Promise<number> {
  const documents: SourceDocument[] = [];
  let code: number = exitCodes.ok;
  for (const found of documentsAt(places, world.cwd)) {
    if (isProblem(found)) code = report(world, found);
    else documents.push(found);
  }
  const config = configHere(world);
  const callees = await calleesFor(documents, world);
  const checked: CheckedFile[] = [];
  const sound: SoundBlueprint[] = [];
  const unloaded = new Map<string, ConfigFault>();
  for (const document of documents) {
    const { name, file, text } = document;
    const lock = lockBeside(file, text);
    if (lock !== undefined && isProblem(lock)) code = report(world, lock);
    const tools = text.includes("tool") ? await config() : undefined;
    const { diagnostics, blueprint, faults } = await checkDocument(text, config, {
      ...(tools === undefined ? {} : { tools: toolNames(tools) }),
      ...(lock !== undefined && "pins" in lock ? { pins: lock.pins } : {}),
      ...(callees === undefined ? {} : { calleeOf: callees.of(document) }),
    });
    for (const fault of faults) unloaded.set(fault.problems[0]?.message ?? "", fault);
    if (blueprint === null) code = exitCodes.usage;
    else sound.push({ document, blueprint });
    checked.push({ file: name, text, diagnostics });
  }
  if (unloaded.size > 0) code = await printFaults(world, [...unloaded.values()]);
  const bounds = await boundsFor(world, sound, options);
  await print(world, checked, bounds, options.format);
  return Math.max(code, gate(world, bounds, options));
}

async function calleesFor(documents: readonly SourceDocument[], world: World): Promise<CalleeLookup | undefined> {
  if (!documents.some(({ text }) => text.includes("call"))) return undefined;
  const { CalleeLookup: Lookup } = await import("../documents/callee-lookup.ts");
  return new Lookup(world.cwd);
}

async function boundsFor(
  world: World,
  sound: readonly SoundBlueprint[],
  { bound, maxAgentPasses, maxCost }: CheckOptions,
): Promise<readonly FileBound[]> {
  if (bound !== true && maxAgentPasses === undefined && maxCost === undefined) return [];
  const { boundsOf } = await import("../running/bounds.ts");
  return boundsOf(world, sound);
}

/** What is unknown passes no gate. */
function gate(world: World, bounds: readonly FileBound[], { maxAgentPasses, maxCost }: CheckOptions): number {
  let code: number = exitCodes.ok;
  for (const { file, agentPasses, cost, unknown } of bounds) {
    if (maxAgentPasses !== undefined && (agentPasses ?? Infinity) > maxAgentPasses) {
      const most = agentPasses === null ? "any number of" : `up to ${agentPasses}`;
      const [first] = unknown;
      const problem =
        first === undefined
          ? usage(`${file} allows ${most} agent passes, more than ${maxAgentPasses}`, "Lower `cap:` of its agents.")
          : usage(
              `${file} takes an unknown number of agent passes, the most allowed is ${maxAgentPasses}`,
              `The cost of ${first.node} is unknown: ${first.reason}`,
            );
      code = report(world, problem);
    }
    if (maxCost === undefined) continue;
    const most = cost === null ? "an unknown amount" : `up to ${cost.amount} ${cost.currency}`;
    if (cost !== null && cost.amount <= maxCost.amount && (cost.amount === 0 || cost.currency === maxCost.currency))
      continue;
    code = report(
      world,
      usage(
        `${file} may cost ${most}, the most allowed is ${maxCost.amount} ${maxCost.currency}`,
        "Set `limits: {cost: …}` in it.",
      ),
    );
  }
  return code;
}

async function print(
  world: World,
  checked: readonly CheckedFile[],
  bounds: readonly FileBound[],
  format: CheckFormat,
): Promise<void> {
  switch (format) {
    case "text": {
      for (const { file, text, diagnostics } of checked) printProblems(world.out, file, text, diagnostics);
      if (bounds.length === 0) return;
      const { boundText } = await import("../../views/bound.ts");
      return world.out.write(bounds.map(({ file, ...bound }) => boundText(file, bound)).join("\n"));
    }
    case "json": {
      const diagnostics = checked.flatMap((one) => toJson(one.diagnostics, one.file, one.text));
      return world.out.write(jsonLine(bounds.length === 0 ? { diagnostics } : { diagnostics, bounds }));
    }
    case "sarif": {
      const { toSarif } = await import("../../check/sarif.ts");
      return world.out.write(jsonLine(toSarif(checked, version), 2));
    }
    case "github": {
      const { toGithub } = await import("../../check/github.ts");
      return world.out.write(toGithub(checked));
    }
  }
}
