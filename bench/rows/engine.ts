import { fan, layers, line, skewed } from "../documents.ts";
import { alone, interleave } from "../measure.ts";
import type { Row } from "../measure.ts";
import { blueprintOf, pureRun, pureTime } from "../pure-engine.ts";

const body = 'type: script, run: "true"';
const rounds = 5;

function pure(id: string, what: string, text: () => string): Row {
  return {
    id,
    what: `pure engine, ${what}`,
    floorName: "",
    reach: { atMost: 40 },
    ratio: false,
    measure: () => {
      const blueprint = blueprintOf(text());
      const { starts } = pureRun(blueprint);
      const figures = Array.from({ length: rounds }, () => pureTime(blueprint) / starts);
      return Promise.resolve(alone("µs a node", figures));
    },
  };
}

/**
 * Cost of an edge in the larger graph ÷ that in the smaller one: 1 is linear; caches
 * take their part; quadratic were the ratio of the sizes.
 */
function growth(id: string, what: string, graph: (size: number) => string, small: number, large: number): Row {
  return {
    id,
    what: `pure engine, growth of ${what}`,
    floorName: "the small one",
    reach: { atMost: 2 },
    ratio: true,
    measure: async () => {
      const [few, many] = [blueprintOf(graph(small)), blueprintOf(graph(large))];
      const [fewEdges, manyEdges] = [few.edges.length, many.edges.length];
      const times = await interleave(
        rounds,
        () => pureTime(many) / manyEdges,
        () => pureTime(few) / fewEdges,
      );
      const bytes = pureRun(many).bytes / manyEdges / (pureRun(few).bytes / fewEdges);
      return {
        unit: "µs an edge",
        subject: times.subject,
        floor: times.floor,
        figure: times.ratio,
        note: `${fewEdges} → ${manyEdges} edges; journal bytes an edge ${bytes.toFixed(2)} ×`,
      };
    },
  };
}

export const engineRows: readonly Row[] = [
  pure("engine-1k", "1,000 in a line", () => line(1000, body)),
  pure("engine-10k", "10,000 in a line", () => line(10_000, body)),
  growth("growth-line", "a line", (size) => line(size, body), 1000, 10_000),
  growth("growth-fan", "a fan", (size) => fan(size, body), 250, 1000),
  growth("growth-layers", "layers", (size) => layers(size, size, body), 10, 30),
  growth("growth-skewed", "a skewed join", (size) => skewed(size, body), 1000, 10_000),
];
