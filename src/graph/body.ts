import type { Blueprint, MapBody } from "../model/blueprint.ts";

/** What an item of a map carries out: the body, under what holds around it. Steps are each run's own, and so is what comes at the end. */
export function bodyBlueprint(around: Blueprint, body: MapBody): Blueprint {
  const { finally: _last, limits: bounds, ...rest } = around;
  const { steps: _steps, ...shared } = bounds;
  return { ...rest, limits: shared, outputs: {}, ...body };
}
