import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/ports/sandbox.ts";
import { command, exit, sh } from "../ground.ts";
import { countOf, nap } from "../../support/naps.ts";

export function endings(box: () => Sandbox): void {
  describe("the end of a command", () => {
    const stubborn = (word: string): string =>
      `trap '' TERM INT HUP; setsid sleep ${nap(`${word}1`)} & (sleep ${nap(`${word}2`)} >/dev/null 2>&1 &); env -i /bin/sh -c 'exec setsid sleep ${nap(`${word}3`)}' >/dev/null 2>&1 & sleep ${nap(`${word}4`)} & echo up; wait`;

    test("by abort ends all it started, and nothing else in the box", async () => {
      const other = await box().open(command(`sleep ${nap("7700")}; echo`));
      if ("fault" in other) throw new Error(other.fault);
      await expect.poll(() => countOf("7700")).toBe(1);
      const stop = new AbortController();
      const running = sh(box(), stubborn("771"), { onLine: () => stop.abort() }, stop.signal);
      expect((await running).end).toEqual({ kind: "cancelled" });
      for (const n of [1, 2, 4]) expect(countOf(`771${n}`)).toBe(0);
      expect(countOf("7700")).toBe(1);
      await other.kill();
      expect(countOf("7700")).toBe(0);
      // What gave up its parent and its marker goes as soon as no other command needs the box.
      expect((await sh(box(), "exit 1")).end).toEqual(exit(1));
      expect(countOf("7713")).toBe(0);
    });

    test("by timeout ends all it started", async () => {
      const { end } = await sh(box(), stubborn("772"), { timeoutMs: 600 });
      expect(end).toEqual({ kind: "timeout" });
      for (const n of [1, 2, 3, 4]) expect(countOf(`772${n}`)).toBe(0);
    });

    test("by abort before it has begun means that it never begins", async () => {
      // Spread over the time in which an engine starts a command.
      const cut = Array.from({ length: 24 }, async (_, turn) => {
        const stop = new AbortController();
        const onStart = (): void => void setTimeout(() => stop.abort(), turn * 8);
        return sh(box(), `setsid sleep ${nap("7725")} & wait`, { onStart }, stop.signal);
      });
      for (const { end } of await Promise.all(cut)) expect(end.kind).toBe("cancelled");
      // What the engine of the containers had under way is done when it has carried out a later command.
      expect((await sh(box(), "exit 1")).end).toEqual(exit(1));
      expect(countOf("7725")).toBe(0);
    });

    test("of its own accord ends what it left behind, and is not held up by it", async () => {
      const { end, out } = await sh(
        box(),
        `setsid sleep ${nap("7731")} & (sleep ${nap("7732")} &); env -i setsid sleep ${nap("7733")} & echo done`,
      );
      expect([end, out]).toEqual([exit(0), "done\n"]);
      for (const n of [1, 2, 3]) expect(countOf(`773${n}`)).toBe(0);
    });

    test("by its own hand, all around it too, leaves the box usable", async () => {
      await sh(box(), "kill -9 -1; sleep 1");
      expect((await sh(box(), "echo still here")).out).toBe("still here\n");
    });

    test("of one that is talked to comes with its kill", async () => {
      const live = await box().open(
        command(`trap '' TERM; setsid sleep ${nap("7741")} & sleep ${nap("7742")}; sleep ${nap("7743")}`),
      );
      if ("fault" in live) throw new Error(live.fault);
      await expect.poll(() => countOf("7741") + countOf("7742")).toBe(2);
      await live.kill();
      for (const n of [1, 2, 3]) expect(countOf(`774${n}`)).toBe(0);
    });

    test("of what stands for it on the host is no success", async () => {
      const [client, up] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
      const killed = sh(box(), `echo up; sleep ${nap("7745")}`, {
        onStart: ({ pid }) => client.resolve(pid),
        onLine: () => up.resolve(),
      });
      await up.promise;
      process.kill(await client.promise, "SIGTERM");
      expect((await killed).end).not.toEqual(exit(0));
      expect(countOf("7745")).toBe(0);
    });

    test("with any code is told as it was", async () => {
      const codes = [1, 113, 114, 125, 255];
      const ends = await Promise.all(codes.map((code) => sh(box(), `exit ${code}`)));
      expect(ends.map(({ end }) => end)).toEqual(codes.map(exit));
    });

    test("before its start is at once", async () => {
      const stop = new AbortController();
      stop.abort();
      expect((await sh(box(), "echo never", {}, stop.signal)).end).toEqual({ kind: "cancelled" });
    });
  });
}
