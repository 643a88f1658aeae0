import type { EventBody, NodeSettled, ParentLink } from "../../model/events.ts";
import type { HeadsMark } from "../../model/heads.ts";
import { markOf } from "../../runtime/inner/heads.ts";
import type { Receipt } from "../../wire/receipt.ts";
import { eventsOf, parentOf } from "./facts.ts";
import type { BadPlace } from "./records.ts";

type Journal = Receipt["journal"];

interface Whole {
  /** The first attempt whose runs are not those that it ended with. */
  readonly bad: BadPlace | null;
  /**
   * Paths of nodes that ended without a word about the runs inside: in an older version, or by the word of a person.
   */
  readonly untold: readonly string[];
}

/** Holds the runs inside that a receipt has against what the journal of the run around each kept of them. */
export function wholeInside({ run, journal, inside = [] }: Receipt): Whole {
  const held = Map.groupBy(inside, (one) => {
    const parent = parentOf(one.journal.records);
    return parent === null ? "" : placeOf(parent);
  });
  const untold = new Set<string>();
  const all = [{ run, path: "", journal, at: "" }, ...inside.map((one, i) => ({ ...one, at: `inside[${i}].` }))];
  for (const { run: around, path, journal: own, at } of all)
    for (const { node, pass, heads } of lastEnds(around, own)) {
      const runs = held.get(placeOf({ run: around, node, pass })) ?? [];
      const name = path === "" ? node : `${path}/${node}`;
      if (heads === undefined) {
        if (runs.length > 0) untold.add(name);
        continue;
      }
      const here = markOf(runs.map((one) => ({ run: one.run, ...one.journal.head })));
      if (here.runs === heads.runs && here.digest === heads.digest) continue;
      const problem = `the runs inside ${name} are not those that it ended with in pass ${pass}: ${here.runs} are here, of ${heads.runs}`;
      return { bad: { place: `${at}journal`, problem }, untold: [] };
    }
  return { bad: null, untold: [...untold] };
}

interface Ended extends Pick<ParentLink, "node" | "pass"> {
  readonly heads?: HeadsMark;
}

/** The end of each pass in which nothing began after it. What a fork took over went on inside another run. */
function lastEnds(run: string, { records }: Journal): Iterable<Ended> {
  const bodies = records.flatMap(eventsOf).map(({ body }) => body);
  const [first] = bodies;
  const isFork = first?.type === "run.started" && first.fork !== undefined;
  const ends = new Map<string, Ended>();
  for (const body of bodies.slice(isFork ? bodies.findIndex(({ type }) => type === "run.resumed") : 0)) {
    if (body.type === "node.started") ends.delete(placeOf({ run, ...body }));
    if (body.type !== "node.ended" && body.type !== "node.retrying" && !isLastWord(body)) continue;
    const { node, pass } = body;
    const heads = "heads" in body ? body.heads : undefined;
    const place = placeOf({ run, node, pass });
    // A retry that is given up ends once more, without anything having run.
    if (heads !== undefined || !ends.has(place)) ends.set(place, { node, pass, ...(heads && { heads }) });
  }
  return ends.values();
}

/** A person's, about an attempt that left nothing else behind. */
function isLastWord(body: EventBody): body is NodeSettled {
  return body.type === "node.settled" && body.as !== "again";
}

function placeOf({ run, node, pass }: Pick<ParentLink, "run" | "node" | "pass">): string {
  return `${run} ${pass} ${node}`;
}
