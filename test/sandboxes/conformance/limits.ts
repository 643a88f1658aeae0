import { describe, expect, test } from "vitest";
import { exit, sh, type WithBox } from "../ground.ts";
import { countOf, nap } from "../../support/naps.ts";

export function limitsOf(withBox: WithBox): void {
  describe("a limit", () => {
    test("of memory ends what passes it, is named, and leaves the box usable", async () => {
      await withBox({ memoryBytes: 64 * 1024 * 1024 }, async (box) => {
        expect((await sh(box, "exit 3")).result.limit).toBeUndefined();
        const { end, result } = await sh(box, "tail /dev/zero");
        expect(end).toEqual(exit(137));
        expect(result.limit).toEqual({ name: "memory", value: 64 * 1024 * 1024 });
        expect((await sh(box, "exit 4")).result.limit).toBeUndefined();
      });
    });

    test("of processes is named, and nothing of a fork bomb is left", async () => {
      await withBox({ pids: 40 }, async (box) => {
        const bomb = `i=0; while [ $i -lt 100 ]; do sleep ${nap("7750")} & i=$((i+1)); done; wait`;
        const { end, result } = await sh(box, bomb);
        expect(end.kind).toBe("exit");
        expect(result.limit).toEqual({ name: "pids", value: 40 });
        expect(countOf("7750")).toBe(0);
        expect((await sh(box, "echo fine")).out).toBe("fine\n");
      });
    });

    test("of processes does not keep a fork bomb from being stopped", async () => {
      await withBox({ pids: 40 }, async (box) => {
        const bomb = `i=0; while [ $i -lt 37 ]; do sleep ${nap("7760")} & i=$((i+1)); [ $i != 34 ] || echo up; done; sleep ${nap("7760")}`;
        const stop = new AbortController();
        const { end } = await sh(box, bomb, { onLine: () => stop.abort() }, stop.signal);
        expect(["cancelled", "lost"]).toContain(end.kind);
        expect(countOf("7760")).toBe(0);
      });
    });
  });
}
