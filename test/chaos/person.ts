import { isOver } from "../../src/model/outcome.ts";
import { openGates } from "../../src/views/open-gates.ts";
import { countBy, keyOf, passesIn } from "./figures.ts";
import { effectsIn, type Site, type Stored } from "./site.ts";

/** More than any disturbed run needs: two for each node that can be unconfirmed, and those that are killed in turn. */
const mostSteps = 60;

/**
 * Brings a run to its end as a person would: resumes it, answers its gate, and where nobody
 * knows whether an action was done looks whether it was. `give` carries a command out, and may
 * disturb it; the run is left as it is after {@link mostSteps}.
 */
export async function goOn(
  site: Site,
  work: string,
  run: string,
  give: (args: readonly string[]) => Promise<unknown> = (args) => site.trammel(work, args),
): Promise<void> {
  for (let step = 0; step < mostSteps; step += 1) {
    const stored = await site.stored();
    const mine = stored.find(({ row }) => row.run === run);
    if (mine === undefined || isOver(mine.row.status) || site.hung) return;
    await give(nextCommand(mine, stored, work));
  }
}

function nextCommand({ row, events }: Stored, stored: readonly Stored[], work: string): readonly string[] {
  if (row.status === "needs_attention") {
    const [, node = ""] = /^(\S+): /.exec(row.reason ?? "") ?? [];
    return [
      "settle",
      row.run,
      node,
      "--as",
      wasDone(row.run, node, stored, work) ? "done" : "again",
      "--detach",
      "--json",
    ];
  }
  const [open] = row.status === "waiting" ? openGates(events) : [];
  if (open !== undefined) return ["answer", row.run, open.gate.node, "yes", "--json"];
  return ["resume", row.run, "--detach", "--json"];
}

/** Whether the action of the latest pass has noted itself; `node` may be a path into a call or a map. */
function wasDone(run: string, node: string, stored: readonly Stored[], work: string): boolean {
  const inside = stored.find(
    ({ row }) =>
      row.parent !== undefined && node.startsWith(row.parent.path) && !node.slice(row.parent.path.length).includes("/"),
  );
  const own = inside?.row.run ?? run;
  const name = node.slice(inside?.row.parent?.path.length ?? 0);
  const events = stored.find(({ row }) => row.run === own)?.events ?? [];
  const effects = countBy(effectsIn(work), keyOf).get(`${own} ${name}`) ?? 0;
  return effects >= (passesIn(events).get(name) ?? 0);
}
