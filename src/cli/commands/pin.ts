import { dirname } from "node:path";
import { exitCodes } from "../../model/outcome.ts";
import { findBlueprint } from "../documents/by-name.ts";
import { addPins, lockFile } from "../documents/lock.ts";
import { prepare, readConfig } from "../running/prepare.ts";
import { isProblem, report } from "../problem.ts";
import { escaped } from "../../views/inert.ts";
import type { World } from "../world.ts";

/** Writes down which content each call of a blueprint leads to now; from then on a run refuses any other. */
export async function pin(world: World, name: string): Promise<number> {
  const document = findBlueprint(name, world.cwd);
  if (isProblem(document)) return report(world, document);
  const config = await readConfig(world, world.cwd);
  if (typeof config === "number") return config;
  const prepared = await prepare(world, document, config, { pinning: true });
  if (typeof prepared === "number") return prepared;
  const folder = dirname(document.file);
  const pins = new Map(Object.entries(prepared.calls).map(([reference, { hash }]) => [reference, hash]));
  if (pins.size === 0) {
    world.err.write(`${escaped(document.name)} calls no blueprint, so there is nothing to pin\n`);
    return exitCodes.ok;
  }
  const before = await addPins(folder, pins);
  if (isProblem(before)) return report(world, before);
  for (const [reference, hash] of pins) {
    const was = before.pins.get(reference);
    const news = was === undefined ? "pinned" : was === hash ? "unchanged" : `was ${was.slice(0, 12)}`;
    world.out.write(`${escaped(reference)}  ${hash.slice(0, 12)}  ${news}\n`);
  }
  world.err.write(`written to ${escaped(lockFile(folder))}\n`);
  return exitCodes.ok;
}
