import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { line } from "../documents.ts";
import { documentOf, inHost } from "../host.ts";
import { heldLine } from "../leave-run.ts";
import { alone } from "../measure.ts";
import type { Row } from "../measure.ts";

const runs = 1_000;
const runsAtOnce = 50;
const nodes = 10_000;

/** Bytes that the heap holds once everything that nobody needs has been collected. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node has no collector to call");
  collect();
  return process.memoryUsage().heapUsed;
}

const leftBehind: Row = {
  id: "memory-runs",
  what: `memory that ${runs.toLocaleString("en")} runs of 20 no-op nodes leave behind`,
  floorName: "",
  reach: { atMost: 512 },
  ratio: false,
  measure: () =>
    inHost(async (host) => {
      const short = documentOf(line(20, "type: noop"));
      const batch = (): Promise<unknown> => Promise.all(Array.from({ length: runsAtOnce }, () => host.run(short)));
      for (let n = 0; n < runs; n += runsAtOnce) await batch();
      const before = heldBytes();
      for (let n = 0; n < runs; n += runsAtOnce) await batch();
      return alone("bytes a run", [Math.max(0, heldBytes() - before) / runs]);
    }),
};

const atWork: Row = {
  id: "memory-line",
  what: `memory of a run at the last of ${nodes.toLocaleString("en")} no-op nodes in a line`,
  floorName: "",
  reach: { atMost: 1_500 },
  ratio: false,
  measure: () =>
    inHost(async (host) => {
      const document = documentOf(heldLine(nodes));
      const before = heldBytes();
      const reached = Promise.withResolvers<void>();
      const run = await host.start(document, ({ body }) => {
        if (body.type === "node.started" && body.node === `n${nodes + 1}`) reached.resolve();
      });
      await reached.promise;
      const bytes = (heldBytes() - before) / nodes;
      run.stop("the bench");
      await run.end;
      return alone("bytes a node", [bytes]);
    }),
};

export const memoryRows: readonly Row[] = [leftBehind, atWork];
