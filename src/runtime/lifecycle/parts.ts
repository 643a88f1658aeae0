import { compile, type Plan } from "../../graph/plan.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Conflict } from "../../ports/journal.ts";
import type { RunHandle, StartRequest } from "../api.ts";
import type { InnerEngine, Inside } from "../inner/children.ts";
import type { Conductor } from "../conductor.ts";
import type { RunFacts } from "../context.ts";
import { type Memory, remember } from "../memory/memory.ts";
import type { EngineOptions } from "../options.ts";

/** What an engine is made of, for its ways to begin a run. */
export interface Parts {
  readonly options: EngineOptions;
  /** Runs that this process executes. */
  readonly running: Set<string>;
  /** Keeps a run that has begun until its end; one that was taken over may hold runs of an earlier definition. */
  readonly hold: (conductor: Conductor, isNew: boolean) => RunHandle;
  readonly inner: InnerEngine;
}

const plans = new WeakMap<Blueprint, Plan>();

/** Compiled once for all runs of a blueprint. */
export function planOf(blueprint: Blueprint): Plan {
  const known = plans.get(blueprint);
  if (known !== undefined) return known;
  const plan = compile(blueprint);
  plans.set(blueprint, plan);
  return plan;
}

/** Reads a run back that this process has written itself. */
export function reread({ journal }: EngineOptions, plan: Plan, run: string): Memory {
  const remembered = remember(plan, journal.read(run));
  if (remembered === null) throw new Error(`the journal of run ${run} does not begin with its start`);
  return remembered.memory;
}

/** What the run is bound to, as its nodes may need it. */
export function boundTo(
  { contentHash, bindingHash, callees }: Pick<StartRequest, "contentHash" | "bindingHash" | "callees">,
  inside: Inside | undefined,
): Pick<RunFacts, "contentHash" | "bindingHash" | "callees" | "parent" | "outer"> {
  const hashes = { contentHash, bindingHash };
  if (inside === undefined) return { ...hashes, callees: callees ?? new Map() };
  const { parent, outer } = inside;
  return { ...hashes, callees: inside.callees, parent, ...(outer === undefined ? {} : { outer }) };
}

export function hintOf(conflict: Conflict | null): string {
  return conflict?.conflict === "taken" ? takenHint(conflict) : "look at it with trammel runs and try again";
}

/** What may be done about a run that has the tree or the key, or waits for it. */
export function takenHint({ parked }: Pick<Conflict, "parked">): string {
  return parked === true
    ? "answer it (trammel inbox lists it), stop it, or wait until it has ended, with --queue"
    : "wait until it has ended, with --queue, or stop it";
}
