import type { DatabaseSync, StatementSync } from "node:sqlite";
import { chargesIn, namesOf } from "../../model/charges.ts";
import type { EventBody } from "../../model/events.ts";
import type { Conflict } from "../../ports/journal.ts";

export interface Account {
  readonly taskId: string;
  readonly blueprint: string;
  /** Stands before the name of each node. */
  readonly path: string;
}

/**
 * Passes of agentic nodes, counted over all runs of a task. Charged by compare-and-set in the transaction of the claim.
 */
export class Charges {
  readonly #select: StatementSync;
  readonly #set: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare("SELECT passes FROM passes WHERE task_id = ? AND blueprint = ? AND node = ?");
    this.#set = db.prepare(`
      INSERT INTO passes (task_id, blueprint, node, passes) VALUES (?, ?, ?, ?)
      ON CONFLICT (task_id, blueprint, node) DO UPDATE SET passes = excluded.passes`);
  }

  /**
   * Whether each charge is beyond what stands; it may leave passes out where the mirror of a lost store knew of more.
   */
  check(account: Account, events: readonly EventBody[]): null | Conflict {
    for (const charge of chargesIn(events)) {
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
    for (const charge of chargesIn(events))
      for (const name of namesOf(charge))
        this.#set.run(account.taskId, account.blueprint, account.path + name, charge.charged.passes);
  }
}
