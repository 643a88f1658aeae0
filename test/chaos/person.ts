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
  if (row.status === "escalated") {
    const [, node = ""] = /^(\S+): /.exec(row.reason ?? "") ?? [];
    return ["resolve", row.run, "--node", node, "--as", "done", "--reason", "looked", "--detach", "--json"];
  }
  const [open] = row.status === "waiting" ? questionsIn({ row, events }, stored) : [];
  if (open !== undefined) return ["answer", row.run, open, "yes", "--json"];
  return ["resume", row.run, "--detach", "--json"];
}

/** Paths of the gates that wait in a run and inside it. */
function questionsIn({ row, events }: Pick<Stored, "row" | "events">, stored: readonly Stored[]): readonly string[] {
  const own = openGates(events).map(({ gate }) => gate.node);
  const inside = insideOf(row.run, stored).filter(({ row: { status } }) => status === "waiting");
  return [
    ...own,
    ...inside.flatMap((one) => questionsIn(one, stored).map((path) => `${one.row.parent?.node}/${path}`)),
  ];
}

function insideOf(run: string, stored: readonly Stored[]): readonly Stored[] {
  return stored.filter(({ row }) => row.parent?.run === run);
}

/** Whether the action of the latest pass has noted itself; `node` may be a path into a call or a map. */
function wasDone(run: string, node: string, stored: readonly Stored[], work: string): boolean {
  const slash = node.indexOf("/");
  if (slash >= 0) {
    const [, call = "", item] = /^([^[]*)(?:\[(\d+)\])?$/.exec(node.slice(0, slash)) ?? [];
    const inside = insideOf(run, stored).find(
      ({ row: { parent } }) => parent?.node === call && parent.item === (item === undefined ? undefined : Number(item)),
    );
    return inside !== undefined && wasDone(inside.row.run, node.slice(slash + 1), stored, work);
  }
  const events = stored.find(({ row }) => row.run === run)?.events ?? [];
  const effects = countBy(effectsIn(work), keyOf).get(`${run} ${node}`) ?? 0;
  return effects >= (passesIn(events).get(node) ?? 0);
}
