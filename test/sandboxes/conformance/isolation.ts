import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../../src/ports/sandbox.ts";
import { engineCanary, exit, newFolder, sh, type WithBox } from "../ground.ts";

export function isolation(box: () => Sandbox, withBox: WithBox): void {
  describe("a box", () => {
    test("keeps its files from command to command", async () => {
      await sh(box(), "echo kept >/workspace/kept; echo too >/tmp/too");
      expect((await sh(box(), "cat /workspace/kept /tmp/too")).out).toBe("kept\ntoo\n");
    });

    test("shares no files and no processes with another", async () => {
      await withBox({}, async (other) => {
        await Promise.all([sh(box(), "echo mine >/workspace/whose"), sh(other, "echo theirs >/workspace/whose")]);
        const both = await Promise.all([box(), other].map((one) => sh(one, "cat whose; ls /proc | grep -c '^[0-9]'")));
        const [mine, theirs] = both.map(({ out }) => out.split("\n"));
        expect([mine?.[0], theirs?.[0]]).toEqual(["mine", "theirs"]);
        expect(Math.max(Number(mine?.[1]), Number(theirs?.[1]))).toBeLessThan(12);
      });
    });

    test("sees neither the host's files nor its processes nor the engine's variables", async () => {
      const secret = mkdtempSync(path.join(newFolder(onTestFinished), "host-"));
      writeFileSync(path.join(secret, "file"), "host only");
      const said = await sh(
        box(),
        `cat ${secret}/file; ls /root /home 2>/dev/null; env; kill -0 ${process.pid} 2>/dev/null && echo seen`,
      );
      expect(said.out).not.toContain("host only");
      expect(said.out).not.toContain("seen");
      expect(said.out).not.toContain(engineCanary);
    });

    test("has no privileges to gain and none to lose", async () => {
      const { out } = await sh(box(), "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status");
      expect(out.split("\n").map((row) => row.split(/\s+/)[1])).toEqual([
        "0000000000000000",
        "0000000000000000",
        "0000000000000000",
        "1",
        undefined,
      ]);
      expect((await sh(box(), "mount -t tmpfs none /workspace")).end).not.toEqual(exit(0));
    });

    test("cannot turn a screw of the kernel", async () => {
      // Pressure is written to by whoever wants to be told of it, and tells nobody else.
      // Each is written with what it holds already: a box that may do it does no harm here.
      const knobs =
        "sys/kernel/core_pattern sys/vm/swappiness sys/kernel/hostname sys/fs/file-max dynamic_debug/control";
      const turn = `for f in ${knobs}; do ( cat /proc/$f >/proc/$f ) 2>/dev/null && echo $f; done; true`;
      expect((await sh(box(), turn)).out).toBe("");
      const writable =
        "find /proc -maxdepth 3 -type f ! -path '/proc/[0-9]*' ! -path '/proc/self/*' ! -path '/proc/thread-self/*' ! -path '/proc/pressure/*'";
      const { out, end } = await sh(
        box(),
        `${writable} 2>/dev/null | while read -r f; do ( : >>"$f" ) 2>/dev/null && echo "$f"; done; true`,
      );
      expect([out, end]).toEqual(["", exit(0)]);
    });

    test("with `network: none` has no way out", async () => {
      await withBox({ network: "none" }, async (other) => {
        const { out } = await sh(
          other,
          "cat /proc/net/dev | grep -v lo: | grep -c :; cat /proc/net/route | grep -vc Iface",
        );
        expect(out).toBe("0\n0\n");
      });
    });

    test("that listens opens no port of the host", async () => {
      const stop = new AbortController();
      const reached = Promise.withResolvers<string>();
      const listens = "nc -l -p 47113 & until grep -q ':B809 ' /proc/net/tcp /proc/net/tcp6; do :; done; echo up; wait";
      const onLine = (): void => {
        const socket = connect(47_113, "127.0.0.1", () => reached.resolve("reached"));
        socket.on("error", ({ message }) => reached.resolve(message)).on("close", () => stop.abort());
        socket.end();
      };
      await withBox({ network: "none" }, async (other) => {
        expect((await sh(other, listens, { onLine }, stop.signal)).end).toEqual({ kind: "cancelled" });
      });
      expect(await reached.promise).toContain("ECONNREFUSED");
    });

    test("shows a folder of the host read-only, or writable where asked", async () => {
      const host = newFolder(onTestFinished);
      writeFileSync(path.join(host, "file"), "from the host");
      const mounts = [
        { from: host, to: "/mnt/ro", writable: false },
        { from: host, to: "/mnt/rw", writable: true },
      ];
      await withBox({ mounts }, async (other) => {
        expect((await sh(other, "cat /mnt/ro/file")).out).toBe("from the host");
        expect((await sh(other, "echo x >/mnt/ro/file")).end).not.toEqual(exit(0));
        expect((await sh(other, "echo changed >/mnt/rw/file")).end).toEqual(exit(0));
        expect(readFileSync(path.join(host, "file"), "utf8")).toBe("changed\n");
      });
    });
  });
}
