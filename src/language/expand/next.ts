import { END } from "../../model/edge.ts";
import type { Reading } from "../read/reading.ts";
import type { LocatedEdge } from "../source.ts";
import type { Located, LocatedScalar } from "../tree.ts";
import { isEnd, names } from "./edges.ts";

/** Edges of `next:` on a node: a name, a list, or a map from outcome to either. */
export function readNext(from: LocatedScalar, next: Located, reading: Reading): LocatedEdge[] {
  if (next.kind !== "map") return names(next, reading, "next").map((to) => edge(from, to));
  return next.entries.flatMap(({ key, value }) =>
    names(value, reading, `next.${key.source}`).map((to) => edge(from, to, key)),
  );
}

function edge(from: LocatedScalar, to: LocatedScalar, when?: LocatedScalar): LocatedEdge {
  return {
    edge: {
      from: from.source,
      to: isEnd(to.source) ? END : to.source,
      ...(when === undefined ? {} : { when: when.source }),
    },
    from: from.range,
    to: to.range,
    ...(when === undefined ? {} : { when: when.range }),
  };
}
