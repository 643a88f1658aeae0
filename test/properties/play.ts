import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { DrivenRun, DriveOptions, World } from "./driver.ts";
import { drive } from "./driver.ts";
import { arrows, blueprintOf } from "./graphs.ts";
import { pick } from "./streams.ts";

export interface Scene extends DriveOptions {
  readonly settings?: Partial<Blueprint>;
  readonly nodes?: Readonly<Record<string, Partial<Node>>>;
  /** Results by attempt, the last one stays: words with the outcome, or whole results. Success where absent. */
  readonly results?: Readonly<Record<string, string | readonly NodeResult[]>>;
  readonly ticks?: Readonly<Record<string, number>>;
  readonly outside?: World["outside"];
}

const words: Readonly<Record<string, NodeResult>> = {
  success: { outcome: "success" },
  failure: { outcome: "failure", reason: { code: "exit", text: "exit 1" } },
  error: { outcome: "error", reason: { code: "could_not_start", text: "exit 127" } },
  unsent: { outcome: "error", reason: { code: "connection", text: "no connection" }, beforeEffect: true },
  declined: { outcome: "failure", reason: { code: "declined", text: "declined by ann" } },
  yes: { outcome: "success", option: "yes" },
  no: { outcome: "success", option: "no" },
  other: { outcome: "success", option: "other" },
};

/**
 * The blueprint of a scene: edges as in `arrows`, or whole; nodes are named
 * by the edges, the first of them is the entry.
 */
export function stage(edges: string | Blueprint["edges"], scene: Scene = {}): Blueprint {
  const list =
    typeof edges === "string" ? arrows(edges) : edges.map(({ from, when, to }) => [from, when ?? null, to] as const);
  const ids = new Set(list.flatMap(([from, , to]) => (to === "END" ? [from] : [from, to])));
  if (scene.settings?.finally !== undefined) ids.add(scene.settings.finally);
  const blueprint = blueprintOf([...ids], list, scene.settings, scene.nodes);
  return typeof edges === "string" ? blueprint : { ...blueprint, edges };
}

/** Plays a scene to its end. */
export function play(edges: string | Blueprint["edges"], scene: Scene = {}): DrivenRun {
  return drive(stage(edges, scene), worldOfScene(scene), scene);
}

export function worldOfScene(scene: Scene): World {
  const performed = new Map<string, number>();
  return {
    result: ({ node }) => {
      const count = (performed.get(node) ?? 0) + 1;
      performed.set(node, count);
      const said = scene.results?.[node] ?? "success";
      return typeof said === "string" ? wordOf(pick(said.split(" "), count)) : pick(said, count);
    },
    ticks: ({ node }) => scene.ticks?.[node] ?? 1,
    ...(scene.outside === undefined ? {} : { outside: scene.outside }),
  };
}

function wordOf(word: string): NodeResult {
  const result = words[word];
  if (result === undefined) throw new RangeError(`no result is called ${word}`);
  return result;
}

/** Starts in order, as `a b c#2`; a second attempt as `c#2.2`. */
export function starts(run: DrivenRun): string {
  return run.events
    .flatMap((event) => (event.type === "node.started" ? [event] : []))
    .map(
      ({ node, pass, attempt }) =>
        node + (pass > 1 || attempt > 1 ? `#${pass}` : "") + (attempt > 1 ? `.${attempt}` : ""),
    )
    .join(" ");
}
