import { line } from "../documents.ts";
import { rawAppends, sqliteCommits } from "../floors.ts";
import { documentOf, inHost } from "../host.ts";
import type { Host } from "../host.ts";
import { against, alone, interleave, median, timed } from "../measure.ts";
import type { Row } from "../measure.ts";
import { journalBytes } from "../store.ts";

const noops = 300;
const sequence = documentOf(line(noops, "type: noop"));
const short = documentOf(line(20, "type: noop"));
const runsAtOnce = 64;

/**
 * Both sides do so much before it counts that their logs have been taken over into the file and begun anew, and their
 * code is compiled, which V8 is done with after some 15,000 nodes.
 */
const warmUps = 60;

const perNode = async (host: Host): Promise<number> => ((await timed(() => host.run(sequence))) * 1000) / noops;

const sequential: Row = {
  id: "no-op",
  what: "durable no-op node, one run",
  floorName: "SQLite commit of the same bytes",
  reach: { atMost: 1.35 },
  ratio: true,
  measure: () =>
    inHost(async (host, folder) => {
      for (let n = 0; n < warmUps; n++) await host.run(sequence);
      const bytes = Math.round(journalBytes(folder) / (warmUps * noops));
      const commits = sqliteCommits(folder, bytes);
      const appends = rawAppends(folder, bytes);
      for (let n = 0; n < warmUps; n++) commits.commits(noops);
      const raw: number[] = [];
      const rounds = await interleave(
        15,
        () => perNode(host),
        () => {
          raw.push((appends.commits(noops) * 1000) / noops);
          return (commits.commits(noops) * 1000) / noops;
        },
      );
      commits.close();
      appends.close();
      return against("µs a node", rounds, `${bytes} bytes; raw append + fdatasync ${median(raw).toFixed(0)} µs`);
    }),
};

const parallel: Row = {
  id: "parallel",
  what: `${runsAtOnce} runs at once of 20 no-op nodes`,
  floorName: "one run by itself",
  reach: { atLeast: 8 },
  ratio: true,
  measure: () =>
    inHost(async (host) => {
      const all = Array.from({ length: runsAtOnce }, () => short);
      const atOnce = async (): Promise<number> => {
        const ms = await timed(() => Promise.all(all.map((document) => host.run(document))));
        return (runsAtOnce * 20 * 1000) / ms;
      };
      const alone = async (): Promise<number> => 1e6 / (await perNode(host));
      for (let n = 0; n < warmUps; n++) {
        await host.run(sequence);
        await atOnce();
      }
      return against("nodes a second", await interleave(15, atOnce, alone));
    }),
};

/** Microseconds of all threads, in the kernel too. */
async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const processor: Row = {
  id: "cpu",
  what: "processor time of 1,000 no-op nodes in a line, system calls included",
  floorName: "",
  reach: { atMost: 60 },
  ratio: false,
  measure: () =>
    inHost(async (host, folder) => {
      const count = 1000;
      const thousand = documentOf(line(count, "type: noop"));
      await host.run(thousand);
      const commits = sqliteCommits(folder, Math.round(journalBytes(folder) / count));
      const figures: number[] = [];
      const bare: number[] = [];
      for (let n = 0; n < warmUps / 2 + 7; n++) {
        const [ours, floor] = [
          await processorTime(() => host.run(thousand)),
          await processorTime(() => commits.commits(count)),
        ];
        if (n < warmUps / 2) continue;
        figures.push(ours / count);
        bare.push(floor / count);
      }
      commits.close();
      return alone("µs a node", figures, `a bare SQLite commit of the same bytes: ${median(bare).toFixed(0)}`);
    }),
};

export const durableRows: readonly Row[] = [sequential, parallel, processor];
