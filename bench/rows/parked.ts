import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { median } from "../measure.ts";
import type { Row } from "../measure.ts";
import type { Looked } from "../parked.ts";
import { inScratch } from "../scratch.ts";

const runs = 10_000;
const rounds = 5;
const mebibyte = 1024 * 1024;

function parked(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "../parked.ts"), ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export const parkedRow: Row = {
  id: "parked",
  what: `memory to list ${runs.toLocaleString("en")} runs parked at a gate, over an empty store`,
  floorName: "",
  reach: { atMost: 60 },
  ratio: false,
  measure: () =>
    inScratch(async (folder) => {
      const [full, empty] = [join(folder, "full"), join(folder, "empty")];
      parked("park", full, String(runs));
      const look = (home: string): Looked => JSON.parse(parked("look", home)) as Looked;
      const looks = Array.from({ length: rounds }, () => [look(full), look(empty)] as const);
      for (const [{ waiting, timers }] of looks)
        if (waiting !== runs || timers > runs) throw new Error(`${waiting} runs wait, with ${timers} timers`);
      const subject = median(looks.map(([one, other]) => (one.rssBytes - other.rssBytes) / mebibyte));
      const timers = Math.max(...looks.map(([one]) => one.timers));
      return { unit: "MB", subject, floor: null, figure: subject, note: `${timers} timers` };
    }),
};
