import type { ServiceOptions } from "../cli/services.ts";
import { allNodes } from "../model/node.ts";
import { createPerformers, type Performers } from "../nodes/registry.ts";
import type { Performer } from "../ports/performer.ts";
import { isInTree } from "../runtime/workspace/repository.ts";
import type { GitWorkspaces } from "../runtime/workspace/workspaces.ts";

/**
 * Throws where two plug-ins bring the same node type, or one a built-in
 * one: a mistake of the program that hands them in.
 */
export async function performersOf(
  parts: Parameters<typeof createPerformers>[0],
  options: ServiceOptions,
): Promise<Performers> {
  const created = createPerformers(parts);
  if ("problems" in created) throw new Error(created.problems.join("; "));
  const performers = options.stage?.cast(created) ?? created;
  if (!limitsWrites(options)) return performers;
  const { createWriteScope } = await import("../nodes/write-scope.ts");
  const { cassettesIn } = await import("../agents/replay/name.ts");
  const { trackedThoughIgnored } = await import("../runtime/workspace/own-repository.ts");
  const isOurs = options.record === undefined ? undefined : cassettesIn(options.record);
  // None where there is no repository. Modules are taken for ignored.
  const tracked = (cwd: string): Promise<readonly string[]> =>
    isInTree(cwd) ? trackedThoughIgnored({ cwd, env: options.env }, ["-x", "node_modules"]) : Promise.resolve([]);
  const scope = createWriteScope({
    dataFolder: options.home,
    ...(isOurs === undefined ? {} : { isOurs }),
    tracked,
    mask: (text) => parts.redactor.text(text),
  });
  return new Map(
    [...performers].map(([type, performer]) => [
      type,
      type === "human" || performer.class === "wrapper" ? performer : scope(performer),
    ]),
  );
}

/** The outermost: what a write scope takes back is part of an attempt. */
export async function checkpointing(
  performers: Performers,
  workspaces: GitWorkspaces,
  { blueprint }: ServiceOptions,
): Promise<Performers> {
  if (blueprint !== undefined && blueprint.workspace.checkpoint !== true) return performers;
  const { createCheckpoints } = await import("../nodes/checkpoint.ts");
  const checkpoint = createCheckpoints((run) => workspaces.snapshotsOf(run));
  // A call or a map goes on where it was: what runs inside has attempts of its own.
  return new Map([...performers].map(([type, one]) => [type, one.class === "wrapper" ? one : checkpoint(one)]));
}

/** Outside of all: what was not approved is not begun. */
export function held(performers: Performers, hold: (performer: Performer) => Performer): Performers {
  return new Map(
    [...performers].map(([type, one]) => [type, one.class === "human" || type === "wait" ? one : hold(one)]),
  );
}

function limitsWrites({ blueprint, callees = [] }: ServiceOptions): boolean {
  if (blueprint === undefined) return true;
  return [blueprint, ...callees].some(
    (one) => one.workspace.protect !== undefined || [...allNodes(one)].some((node) => node.writes !== undefined),
  );
}
