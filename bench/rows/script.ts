import { line } from "../documents.ts";
import { rawAppends, spawned } from "../floors.ts";
import { documentOf, openHost } from "../host.ts";
import { against, interleave, timed } from "../measure.ts";
import type { Row } from "../measure.ts";
import { inScratch } from "../scratch.ts";

const scripts = 30;

export const scriptRow: Row = {
  id: "script",
  what: "script node",
  floorName: "spawn sh -c true + fdatasync",
  reach: { atMost: 1.25 },
  ratio: true,
  measure: () =>
    inScratch(async (folder) => {
      const document = documentOf(line(scripts, 'type: script, run: "true"'));
      const host = await openHost(folder);
      const appends = rawAppends(folder, 300);
      try {
        const rounds = await interleave(
          9,
          async () => (await timed(() => host.run(document))) / scripts,
          async () => {
            const ms = await timed(async () => {
              for (let n = 0; n < scripts; n++) {
                await spawned("sh", ["-c", "true"], folder);
                appends.commits(1);
              }
            });
            return ms / scripts;
          },
        );
        return against("ms", rounds);
      } finally {
        appends.close();
        await host.close();
      }
    }),
};
