import { fan, layers, line, skewed } from "../documents.ts";
import { alone, interleave } from "../measure.ts";
import type { Row } from "../measure.ts";
import { blueprintOf, runPure } from "../pure-engine.ts";
import type { PureRun } from "../pure-engine.ts";

const body = 'type: script, run: "true"';
const perNode = ({ ms, starts }: PureRun): number => (ms * 1000) / starts;

function pure(id: string, what: string, text: () => string): Row {
  return {
    id,
    what: `pure engine, ${what}`,
    floorName: "",
    reach: { atMost: 40 },
    ratio: false,
    measure: async () => {
      const blueprint = blueprintOf(text());
      runPure(blueprint);
      return alone(
        "µs a node",
        Array.from({ length: 5 }, () => perNode(runPure(blueprint))),
      );
    },
  };
}

/** Cost by unit of the larger graph ÷ that of the smaller one: 1 is linear. */
function growth(id: string, what: string, small: () => string, large: () => string): Row {
  return {
    id,
    what: `pure engine, growth ${what}`,
    floorName: "the small one",
    reach: { atMost: 1.5 },
    ratio: true,
    measure: async () => {
      const [few, many] = [blueprintOf(small()), blueprintOf(large())];
      const [fewUnits, manyUnits] = [few.edges.length, many.edges.length];
      const perEdge = (run: PureRun, edges: number): number => (run.ms * 1000) / edges;
      for (let n = 0; n < 5; n++) runPure(few);
      const { subject, floor, ratio } = await interleave(
        7,
        () => perEdge(runPure(many), manyUnits),
        () => perEdge(runPure(few), fewUnits),
      );
      const bytes = runPure(many).bytes / manyUnits / (runPure(few).bytes / fewUnits);
      const note = `${fewUnits} → ${manyUnits} edges; journal bytes an edge ${bytes.toFixed(2)} ×`;
      return { unit: "µs an edge", subject, floor, figure: ratio, note };
    },
  };
}

export const engineRows: readonly Row[] = [
  pure("engine-1k", "1,000 in a line", () => line(1000, body)),
  pure("engine-10k", "10,000 in a line", () => line(10_000, body)),
  growth(
    "growth-line",
    "of a line",
    () => line(1000, body),
    () => line(10_000, body),
  ),
  growth(
    "growth-fan",
    "of a fan",
    () => fan(250, body),
    () => fan(1000, body),
  ),
  growth(
    "growth-layers",
    "of layers",
    () => layers(10, 10, body),
    () => layers(30, 30, body),
  ),
  growth(
    "growth-skewed",
    "of a skewed join",
    () => skewed(1000, body),
    () => skewed(10_000, body),
  ),
];
