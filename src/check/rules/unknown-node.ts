import { END } from "../../model/edge.ts";
import { entryOf } from "../../language/tree.ts";
import type { Rule } from "../rule.ts";

/** Edges, `entry` and `finally` name nodes that exist. */
export const unknownNode: Rule = {
  code: "unknown-node",
  needs: "document",
  check({ source, suggest }, report) {
    const { origins, edges, blueprint } = source;
    const hint = "Define it under `nodes`, or correct the name.";
    // Of a document whose nodes could not be read, no name is known.
    if (source.refused.has("nodes")) return;
    for (const { edge, from, to, broken } of edges) {
      if (!origins.has(edge.from) && edge.from.toUpperCase() !== END) {
        report(
          from,
          `${broken === true ? "The edge" : `The edge to \`${edge.to}\``} comes from \`${edge.from}\`, which is no node${suggest(edge.from, origins.keys())}`,
          hint,
        );
      }
      if (edge.to !== END && !origins.has(edge.to)) {
        report(
          to,
          `${broken === true ? "The edge" : `The edge from \`${edge.from}\``} leads to \`${edge.to}\`, which is no node${suggest(edge.to, [...origins.keys(), END])}`,
          hint,
        );
      }
    }
    if (source.entryAt !== undefined && !origins.has(blueprint.entry)) {
      report(
        source.entryAt,
        `The entry \`${blueprint.entry}\` is no node${suggest(blueprint.entry, origins.keys())}`,
        hint,
      );
    }
    const last = entryOf(source.root, "finally")?.value;
    if (blueprint.finally !== undefined && last !== undefined && !origins.has(blueprint.finally)) {
      report(
        last.range,
        `\`finally\` names \`${blueprint.finally}\`, which is no node${suggest(blueprint.finally, origins.keys())}`,
        hint,
      );
    }
  },
};
