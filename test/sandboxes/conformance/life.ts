import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { SandboxDriver, SandboxSpec } from "../../../src/ports/sandbox.ts";
import { command, make, never, sh } from "../ground.ts";
import { countOf, nap } from "../../support/naps.ts";

export function lives(driver: SandboxDriver, spec: (more?: Partial<SandboxSpec>) => SandboxSpec): void {
  describe("the life of a box", () => {
    test("the driver says with what it works", async () => {
      expect(await driver.check()).toEqual({ works: expect.stringMatching(/\d/) as string });
    });

    test("a second box of the same id finds the workspace, and nothing else", async () => {
      const one = spec();
      const first = await make(driver, one);
      await sh(first, "echo paid for >work; echo x >/tmp/scratch");
      expect(await first.destroy("keep")).toBeNull();
      const second = await make(driver, one);
      expect((await sh(second, "cat work; ls /tmp/scratch")).out).toBe("paid for\n");
      expect(await second.destroy("remove")).toBeNull();
      const third = await make(driver, one);
      expect((await sh(third, "ls")).out).toBe("");
      await third.destroy("remove");
    });

    test("a person can enter a workspace that was kept", async () => {
      const one = spec();
      const box = await make(driver, one);
      await sh(box, "echo paid for >work");
      await box.destroy("keep");
      const line = driver.enterCommand(one.id, one).replace(" --tty", "");
      const shell = spawnSync("sh", ["-c", line], { input: "pwd; cat work\n", encoding: "utf8" });
      expect(shell).toMatchObject({ status: 0, stdout: "/workspace\npaid for\n" });
      expect(await driver.discard(one.id)).toBeNull();
    });

    test("destroy ends what runs, and afterwards every use is a plain answer", async () => {
      const box = await make(driver, spec());
      const running = sh(box, `sleep ${nap("7780")}`);
      await expect.poll(() => countOf("7780")).toBe(1);
      expect(await box.destroy("remove")).toBeNull();
      expect((await running).end.kind).not.toBe("cancelled");
      expect(countOf("7780")).toBe(0);
      expect((await sh(box, "echo")).end.kind).toBe("lost");
      expect(await box.open(command("echo"))).toMatchObject({ fault: expect.any(String) as string });
      expect(await box.destroy("remove")).toBeNull();
    });

    test("an image that does not exist is a fault that names it, and leaves nothing", async () => {
      const one = spec({ image: "/no/such/rootfs-4711" });
      const made = await driver.create(one, never);
      expect(made).toMatchObject({ fault: expect.stringContaining("rootfs-4711") as string });
      expect(await driver.sweep(() => Promise.resolve("over"))).not.toContain(one.id);
    });

    test("a stop while it is made leaves nothing", async () => {
      const one = spec();
      const stop = new AbortController();
      const making = driver.create(one, stop.signal);
      stop.abort();
      const made = await making;
      if ("sandbox" in made) await made.sandbox.destroy("remove");
      expect(await driver.sweep(() => Promise.resolve("over"))).not.toContain(one.id);
    });

    test("a sweep leaves the live, keeps what can be resumed, and removes the rest", async () => {
      const [live, resumable, over] = [spec(), spec(), spec()] as const;
      const boxes = await Promise.all([live, resumable, over].map((one) => make(driver, one)));
      const ours = new Map([
        [live.id, "live" as const],
        [resumable.id, "resumable" as const],
        [over.id, "over" as const],
      ]);
      for (const box of boxes) await sh(box, "echo here >work");
      const removed = await driver.sweep((id) => Promise.resolve(ours.get(id) ?? "live"));
      expect(removed).toContain(over.id);
      expect(removed).not.toContain(live.id);
      const [alive] = boxes;
      expect(alive && (await sh(alive, "cat work")).out).toBe("here\n");
      const again = await make(driver, resumable);
      expect((await sh(again, "cat work")).out).toBe("here\n");
      const anew = await make(driver, over);
      expect((await sh(anew, "ls")).out).toBe("");
      for (const box of [...boxes, again, anew]) await box.destroy("remove");
    });

    test("discard removes what stands, and nothing is no fault", async () => {
      const one = spec();
      const box = await make(driver, one);
      expect(await driver.discard(one.id)).toBeNull();
      expect(await driver.discard(one.id)).toBeNull();
      expect((await sh(box, "echo")).end.kind).not.toBe("exit");
      await box.destroy("remove");
    });
  });
}
