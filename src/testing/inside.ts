import { blueprintInside } from "../graph/body.ts";
import { compile, type Plan } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { JournalReader } from "../ports/journal.ts";
import type { Callees } from "../runtime/api.ts";
import { type Walk, walkOf } from "./walk.ts";

interface Around {
  readonly run: string;
  readonly blueprint: Blueprint;
  readonly prefix: string;
}

/** What the runs inside a run walked, by the beginning of their paths. */
export function walksInside(
  journal: JournalReader,
  run: string,
  blueprint: Blueprint,
  callees: Callees,
): Walk["inside"] {
  const found = new Map<string, Walk[]>();
  const plans = new Map<string, Plan>();
  const look = ({ run: of, blueprint: own, prefix }: Around): void => {
    for (const { run: inner, parent } of journal.runs(Number.MAX_SAFE_INTEGER, of)) {
      const carried = parent === undefined ? null : blueprintInside(own, parent.node, callees);
      if (parent === undefined || carried === null) continue;
      const path = `${prefix}${parent.node}/`;
      const plan = plans.get(path) ?? compile(carried);
      plans.set(path, plan);
      const bodies = Array.from(journal.read(inner), ({ body }) => body);
      const walk = walkOf(plan, bodies);
      const walks = found.get(path);
      if (walks === undefined) found.set(path, [walk]);
      else walks.push(walk);
      look({ run: inner, blueprint: carried, prefix: path });
    }
  };
  look({ run, blueprint, prefix: "" });
  return found;
}
