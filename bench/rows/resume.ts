import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { heldLine } from "../leave-run.ts";
import { documentOf, openHost } from "../host.ts";
import { against, interleave, timed } from "../measure.ts";
import type { Row } from "../measure.ts";
import { inScratch } from "../scratch.ts";
import { readRows } from "../store.ts";

const nodes = 5_000;

/** A store with one run of about 10,000 events whose engine was killed; returns the run's id. */
async function leftStore(home: string): Promise<string> {
  const script = join(import.meta.dirname, "../leave-run.ts");
  const child = spawn(process.execPath, [script, home, String(nodes)], { stdio: ["ignore", "pipe", "inherit"] });
  const [id] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "close");
  return id.toString().trim();
}

export const resumeRow: Row = {
  id: "resume",
  what: "resume of a run of 10,000 events",
  floorName: "reading its rows",
  reach: { atMost: 3 },
  ratio: true,
  measure: () =>
    inScratch(async (folder) => {
      const original = join(folder, "original");
      const run = await leftStore(original);
      const document = documentOf(heldLine(nodes));
      let copies = 0;
      const rows = readRows(original);
      const rounds = await interleave(
        7,
        async () => {
          const home = join(folder, `copy-${copies++}`);
          cpSync(original, home, { recursive: true });
          const host = await openHost(home);
          const ms = await timed(async () => {
            await host.resume(run, document);
          });
          await host.close();
          return ms;
        },
        () => timed(() => readRows(original)),
      );
      return against("ms", rounds, `in ${rows} records; taking it over and going on are two durable commits`);
    }),
};
