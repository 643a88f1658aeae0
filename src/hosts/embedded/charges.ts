import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EventBody, NodeStarted } from "../../model/events.ts";
import type { Conflict } from "../../ports/journal.ts";

export interface Account {
  readonly taskId: string;
  readonly blueprint: string;
  /** Stands before the name of each node. */
  readonly path: string;
}

type Charge = NodeStarted & { readonly charged: NonNullable<NodeStarted["charged"]> };

/** Passes of agentic nodes, counted over all runs of a task. Charged by compare-and-set in the transaction of the claim. */
export class Charges {
  readonly #select: StatementSync;
  readonly #set: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare("SELECT passes FROM passes WHERE task_id = ? AND blueprint = ? AND node = ?");
    this.#set = db.prepare(`
      INSERT INTO passes (task_id, blueprint, node, passes) VALUES (?, ?, ?, ?)
      ON CONFLICT (task_id, blueprint, node) DO UPDATE SET passes = excluded.passes`);
  }

  /** What a fork takes over from an earlier run was charged there. */
  static own(events: readonly EventBody[]): readonly EventBody[] {
    const [first] = events;
    if (first?.type !== "run.started" || first.fork === undefined) return events;
    return events.slice(events.findLastIndex((event) => event.type === "run.resumed"));
  }

  /** Whether each charge is beyond what stands; it may leave passes out where the mirror of a lost store knew of more. */
  check(account: Account, events: readonly EventBody[]): null | Conflict {
    for (const charge of Charges.own(events)) {
      if (!isCharge(charge)) continue;
      const stands = Math.max(...namesOf(charge).map((name) => this.#standing(account, name)));
      if (charge.charged.passes > stands) continue;
      return {
        conflict: "passes",
        what: `${stands} passes of ${account.path}${charge.node} are charged to task ${account.taskId} already`,
      };
    }
    return null;
  }

  #standing({ taskId, blueprint, path }: Account, name: string): number {
    return Number(this.#select.get(taskId, blueprint, path + name)?.["passes"] ?? 0);
  }

  charge(account: Account, events: readonly EventBody[]): void {
    for (const event of Charges.own(events))
      if (isCharge(event))
        for (const name of namesOf(event))
          this.#set.run(account.taskId, account.blueprint, account.path + name, event.charged.passes);
  }
}

/** A run of the document before it was renamed goes on from the same count. */
function namesOf({ node, charged: { was } }: Charge): readonly string[] {
  return was === undefined ? [node] : [node, was];
}

function isCharge(event: EventBody): event is Charge {
  return event.type === "node.started" && event.charged !== undefined;
}
