import { parseDocument } from "yaml";
import { check } from "../../src/check/check.ts";
import { writtenLine } from "../documents.ts";
import { against, interleave, timed } from "../measure.ts";
import type { Row } from "../measure.ts";

const nodes = 10_000;

/**
 * The floor: `yaml` builds its document with ranges. Without its check for
 * twice-used keys, which is quadratic in the keys of a map.
 */
export const checkRow: Row = {
  id: "check",
  what: `check of a ${nodes.toLocaleString("en")}-node document`,
  floorName: "yaml parses it",
  reach: { atMost: 2.5 },
  ratio: true,
  measure: async () => {
    const text = writtenLine(nodes);
    const subject = (): Promise<number> =>
      timed(() => {
        const { blueprint, diagnostics } = check(text, {});
        if (blueprint?.nodes.size !== nodes) throw new Error(`refused: ${JSON.stringify(diagnostics[0])}`);
      });
    const floor = (): Promise<number> =>
      timed(() => {
        if (parseDocument(text, { uniqueKeys: false }).errors.length > 0) throw new Error("does not parse");
      });
    const rounds = await interleave(5, subject, floor);
    return against(
      "ms",
      rounds,
      `${(text.length / 1e6).toFixed(1)} MB; under 2 s: ${rounds.subject < 2000 ? "yes" : "no"}`,
    );
  },
};
