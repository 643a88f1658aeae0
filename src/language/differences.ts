import type { Blueprint } from "../model/blueprint.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { canonical } from "./canonical.ts";

/** A place at which two blueprints mean something else; undefined where one of them has nothing there. */
export interface Difference {
  /** By the names of the model: `nodes.ship.run`, `limits.steps`, `edges: build → ship when success`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/**
 * Where two blueprints mean something else, in the order of their paths. Empty where their content hashes are the same.
 */
export function differences(before: Blueprint, after: Blueprint): readonly Difference[] {
  return between("", contentOf(before), contentOf(after));
}

/** As {@link differences}, of any two values. */
export function valueDifferences(before: JsonObject, after: JsonObject): readonly Difference[] {
  return between("", before, after);
}

function contentOf(blueprint: Blueprint): Json {
  const { document, ...graph } = JSON.parse(canonical(blueprint)) as {
    readonly document: JsonObject;
  }; // as canonical writes it
  return { ...document, ...graph };
}

/** Nodes and fields that only one side has are one difference each; lists other than edges count as a whole. */
function between(path: string, before: Json | undefined, after: Json | undefined): readonly Difference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => {
      return between(isOwnOfMap(key, before) ? path : path === "" ? key : `${path}.${key}`, before[key], after[key]);
    });
  }
  if (path.endsWith("edges") && Array.isArray(before) && Array.isArray(after)) return ofEdges(path, before, after);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

/** The fields of a `map` stand beside its graph there. */
function isOwnOfMap(key: string, { map }: JsonObject): boolean {
  return key === "map" && isJsonObject(map) && map["type"] === "map";
}

function ofEdges(path: string, before: readonly Json[], after: readonly Json[]): readonly Difference[] {
  const old = new Map(before.map((edge) => [JSON.stringify(edge), edge]));
  const now = new Map(after.map((edge) => [JSON.stringify(edge), edge]));
  const gone = [...old]
    .filter(([text]) => !now.has(text))
    .map(([, edge]) => ({ path: edgePath(path, edge), before: edge }));
  const added = [...now]
    .filter(([text]) => !old.has(text))
    .map(([, edge]) => ({ path: edgePath(path, edge), after: edge }));
  return [...gone, ...added];
}

function edgePath(path: string, edge: Json): string {
  if (!isJsonObject(edge)) return path;
  const { from, to, when, as } = edge;
  const words = [from, "→", to, ...(when === undefined ? [] : ["when", when]), ...(as === undefined ? [] : ["as", as])];
  return `${path}: ${words.filter((word) => typeof word === "string").join(" ")}`;
}
