import type { Range } from "../../model/diagnostic.ts";
import { fieldRange, type Source } from "../../language/source.ts";
import { entryOf } from "../../language/tree.ts";
import { optionsOf, outcomesOf } from "../outcomes.ts";
import type { Rule } from "../rule.ts";

/** Where some options of a choice lead somewhere, one that leads nowhere is a way that ends in success. */
export const optionWithoutEdge: Rule = {
  code: "option-without-edge",
  needs: "edges",
  check({ source }, report) {
    const whens = Map.groupBy(source.edges, ({ edge }) => edge.from);
    for (const [id, node] of source.drafts) {
      const options = optionsOf(node);
      if (options.length === 0) continue;
      const taken = new Set(whens.get(id)?.map(({ edge }) => edge.when));
      if (taken.has(undefined) || taken.has("success") || taken.has("other")) continue;
      if (!options.some((option) => taken.has(option))) continue;
      // A misspelt edge may be meant for the one that has none.
      const known = new Set<string | undefined>(outcomesOf(node));
      if ([...taken].some((when) => !known.has(when))) continue;
      for (const [index, option] of options.entries()) {
        if (taken.has(option)) continue;
        report(
          optionRange(source, id, index, options.length),
          `Option \`${option}\` of \`${id}\` has no edge: where it is chosen, this way ends, and nothing has failed`,
          `Add {from: ${id}, when: ${option}, to: …}; to: END says that it is meant so.`,
        );
      }
    }
  },
};

function optionRange(source: Source, id: string, index: number, count: number): Range {
  const origin = source.origins.get(id);
  const written = origin === undefined ? undefined : entryOf(origin.value, "options")?.value;
  const each =
    written?.kind === "list"
      ? written.items.map(({ range }) => range)
      : written?.kind === "map"
        ? written.entries.map(({ key }) => key.range)
        : [];
  return (each.length === count ? each[index] : undefined) ?? fieldRange(source, id, "options");
}
