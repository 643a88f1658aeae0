import { type Config, emptyConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import type { Bound } from "../../graph/bound.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import { boundReport } from "../../views/bound.ts";
import type { SourceDocument } from "../documents/document.ts";
import { bind, withCalls } from "./prepare.ts";
import { isProblem } from "../problem.ts";
import type { World } from "../world.ts";

export type FileBound = Bound & { readonly file: string };

export interface SoundBlueprint {
  readonly document: SourceDocument;
  readonly blueprint: Blueprint;
}

/**
 * What each can cost at most as a run here would be: with its calls looked up,
 * under the configuration unless that is faulty.
 */
export async function boundsOf(world: World, sound: readonly SoundBlueprint[]): Promise<readonly FileBound[]> {
  const { config, faults } = await loadConfig(world.cwd, world.env);
  const bounds: FileBound[] = [];
  for (const one of sound) bounds.push(await boundIn(world, one, faults.length === 0 ? config : emptyConfig));
  return bounds;
}

async function boundIn(world: World, { document, blueprint }: SoundBlueprint, config: Config): Promise<FileBound> {
  const found = await withCalls(blueprint, document, { project: world.cwd, config, bind: bound });
  const report = isProblem(found)
    ? boundReport(await bound(blueprint, config), { notFound: found.message })
    : boundReport(await bound(found.blueprint, config), found);
  return { file: document.name, ...report };
}

async function bound(blueprint: Blueprint, config: Config): Promise<Blueprint> {
  const { turns } = config.agent;
  const { agent, ...rest } = await bind(blueprint, config);
  return { ...rest, agent: turns === undefined ? agent : { turns, ...agent } };
}
