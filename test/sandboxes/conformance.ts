import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox, SandboxDriver, SandboxSpec } from "../../src/ports/sandbox.ts";
import { copyOut } from "../../src/sandboxes/copy/out.ts";
import { command, exit, make, never, newFolder, sh, specOf } from "./ground.ts";

export interface Subject {
  readonly name: string;
  readonly image: string;
  driver(folder: string): SandboxDriver;
}

/** What every sandbox driver must do, whatever it is made of. */
export function conformance(subject: Subject): void {
  describe(subject.name, () => {
    const folder = newFolder();
    const driver = subject.driver(folder);
    const spec = (more: Partial<SandboxSpec> = {}): SandboxSpec => specOf(subject.image, more);
    let box: Sandbox;

    beforeAll(async () => {
      box = await make(driver, spec());
    });
    afterAll(async () => {
      expect(await box.destroy("remove")).toBeNull();
    });

    async function withBox(more: Partial<SandboxSpec>, use: (other: Sandbox) => Promise<void>): Promise<void> {
      const other = await make(driver, spec(more));
      try {
        await use(other);
      } finally {
        await other.destroy("remove");
      }
    }

    commands(() => box);
    copies(() => box, folder);
    endings(() => box);
    isolation(() => box, withBox);
    limitsOf(withBox);
    lives(driver, spec);
  });
}

type WithBox = (more: Partial<SandboxSpec>, use: (box: Sandbox) => Promise<void>) => Promise<void>;

function commands(box: () => Sandbox): void {
  describe("a command", () => {
    test("has two streams and an exit code", async () => {
      const said = await sh(box(), "echo out; echo err >&2; exit 7");
      expect([said.out, said.err, said.end]).toEqual(["out\n", "err\n", exit(7)]);
    });

    test("reads its input to the end, and nothing where there is none", async () => {
      const stdin = Buffer.from(`${"é".repeat(100_000)}\n`);
      expect((await sh(box(), "wc -c", { stdin })).out.trim()).toBe(String(stdin.length));
      expect((await sh(box(), "wc -c")).out.trim()).toBe("0");
    });

    test("may say more than is kept: the tail is, and the cut is told", async () => {
      const line = "i=0; while [ $i -lt 40000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; echo TAIL";
      const { result } = await sh(box(), line, { outputBytes: 256 * 1024 });
      expect(result.stdout.text.endsWith("TAIL\n")).toBe(true);
      expect(result.stdout).toMatchObject({ cut: true, bytes: 40_000 * 41 + 5 });
    });

    test("runs in its folder, and says so where there is none", async () => {
      expect((await sh(box(), "pwd", { cwd: "/tmp" })).out).toBe("/tmp\n");
      const none = await sh(box(), "pwd", { cwd: "/no/such" });
      expect(none.end).toEqual(exit(126));
      expect(none.err).toContain("/no/such");
    });

    test("that does not exist is exit 127", async () => {
      expect((await sh(box(), "", { argv: ["no-such-program"] })).end).toEqual(exit(127));
    });

    test("ended by a signal exits with 128 and its number", async () => {
      expect((await sh(box(), "kill -9 $$")).end).toEqual(exit(137));
    });

    test("keeps the words of its arguments as they are", async () => {
      const words = ["a b", "-n", "", "'", '"', "$HOME", "*", "a\nb", "--", "é"];
      const said = await sh(box(), "", { argv: ["sh", "-c", 'for w in "$@"; do printf "[%s]" "$w"; done', "sh", ...words] });
      expect(said.out).toBe(words.map((word) => `[${word}]`).join(""));
    });

    test("sees its variables whatever their name or value, and none of how they came", async () => {
      const env = { CANARY: "it's $(a) \"test\"\nwith lines", PATH: "/bin:/usr/bin", LD_PRELOAD: "", DOCKER_HOST: "nowhere", i: "1", IFS: "x" };
      const said = await sh(box(), 'printf "%s|" "$CANARY" "$PATH" "$DOCKER_HOST" "$i"; env | grep -c TRAMMEL_VALUE', { env });
      expect(said.out).toBe(`${env.CANARY}|${env.PATH}|nowhere|1|0\n`);
    });

    test("values stay out of every argument list of the machine", async () => {
      const canary = "canary-4711-value";
      const live = await box().open({ ...command("echo up; cat"), env: { SECRET: canary } });
      if ("fault" in live) throw new Error(live.fault);
      await new Promise((resolve) => live.stdout.once("data", resolve));
      const everywhere = execFileSync("sh", ["-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"]).toString();
      expect(everywhere).toContain("echo up; cat");
      expect(everywhere).not.toContain(canary);
      await live.kill();
    });

    test("can be talked to while it runs", async () => {
      const live = await box().open(command('while read -r line; do echo "got $line"; done; echo bye >&2; exit 5'));
      if ("fault" in live) throw new Error(live.fault);
      live.stdin.write("one\n");
      expect(String(await new Promise((resolve) => live.stdout.once("data", resolve)))).toBe("got one\n");
      live.stdin.end("two\n");
      expect(await Promise.all([text(live.stdout), text(live.stderr), live.end])).toEqual(["got two\n", "bye\n", exit(5)]);
    });
  });
}

function copies(box: () => Sandbox, folder: string): void {
  describe("a copy", () => {
    const odd = ["new\nline", "tab\there", "-dash", "@at", " space ", "é", "..dots", "back\\slash", "*"];
    let source: string;

    beforeAll(() => {
      source = mkdtempSync(path.join(folder, "source-"));
      for (const name of odd) writeFileSync(path.join(source, name), `<${name}>`);
      mkdirSync(path.join(source, "sub", "empty"), { recursive: true });
      writeFileSync(path.join(source, "sub", "tool"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
      symlinkSync("sub/tool", path.join(source, "link"));
    });

    test("of a folder and back is the same, whatever the names; links stay behind", async () => {
      expect(await box().copyIn(source, "/workspace/in/deep", never)).toBeNull();
      expect((await sh(box(), "./in/deep/link; cat './in/deep/-dash'")).out).toBe("ran\n<-dash>");
      const back = path.join(folder, "back");
      expect(await box().copyOut("/workspace/in/deep", back, never)).toEqual({ skipped: ["./link"] });
      expect(readdirSync(back).toSorted()).toEqual([...odd, "sub"].toSorted());
      for (const name of odd) expect(readFileSync(path.join(back, name), "utf8")).toBe(`<${name}>`);
      expect(statSync(path.join(back, "sub", "tool")).mode & 0o777).toBe(0o755);
      expect(readdirSync(path.join(back, "sub"))).toEqual(["empty", "tool"]);
    });

    test("of one file and back keeps bytes and mode", async () => {
      expect(await box().copyIn(path.join(source, "sub", "tool"), "/workspace/one/-x y", never)).toBeNull();
      expect((await sh(box(), "'./one/-x y'")).out).toBe("ran\n");
      const back = path.join(folder, "one-back");
      expect(await box().copyOut("/workspace/one/-x y", back, never)).toEqual({ skipped: [] });
      expect(statSync(back).mode & 0o777).toBe(0o755);
    });

    test("out of a box makes no link, no device, no set-id file, and writes nowhere else", async () => {
      const plant = "mkdir -p evil/d && cd evil && ln -s /etc e && ln -s ../../.. up && echo x >f && chmod 4755 f && ln f hard && mkfifo pipe";
      expect((await sh(box(), plant)).end).toEqual(exit(0));
      const back = path.join(folder, "evil-back");
      const copied = await box().copyOut("/workspace/evil", back, never);
      if ("fault" in copied) throw new Error(copied.fault);
      expect(copied.skipped).toEqual(expect.arrayContaining(["./e", "./up", "./pipe"]));
      expect(readdirSync(back)).toEqual(expect.arrayContaining(["d"]));
      for (const name of readdirSync(back)) expect(["d", "f", "hard"]).toContain(name);
      for (const name of readdirSync(back)) expect(statSync(path.join(back, name)).mode & 0o7000).toBe(0);
    });

    test("that a box forges with names that climb out is neutral", async () => {
      const rename = ["--transform", "s,.*,../../escaped,"];
      const forged = execFileSync("tar", ["-P", "-cf", "-", ...rename, path.join(source, "-dash")]);
      await box().copyIn(writeTo(folder, "forged.tar", forged), "/workspace/forged.tar", never);
      const liar: Pick<Sandbox, "open"> = { open: () => box().open(command("printf d; cat forged.tar")) };
      const back = path.join(folder, "climb", "back");
      const copied = await copyOut(liar, "/workspace/climb", back, never);
      expect(copied).toEqual({ skipped: [expect.stringContaining("escaped")] });
      expect(readdirSync(folder)).not.toContain("escaped");
      expect(readdirSync(path.join(folder, "climb"))).toEqual(["back"]);
      expect(readdirSync(back)).toEqual([]);
    });

    test("names what is missing or in the way", async () => {
      expect(await box().copyOut("/workspace/none", path.join(folder, "none"), never)).toMatchObject({
        fault: expect.stringContaining("no such file") as string,
      });
      expect(await box().copyOut("/workspace", folder, never)).toMatchObject({ fault: expect.stringContaining("exists") as string });
      expect(await box().copyIn(path.join(folder, "none"), "/workspace/x", never)).toMatchObject({ fault: expect.stringContaining("none") as string });
    });
  });
}

function writeTo(folder: string, name: string, bytes: Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

/** How many processes on the whole machine have this word among their arguments. */
function countOf(word: string): number {
  const rows = execFileSync("sh", ["-c", "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null"]).toString();
  return rows.split("\n").filter((row) => row.startsWith(`sleep ${word}`)).length;
}

function endings(box: () => Sandbox): void {
  describe("the end of a command", () => {
    const stubborn = (word: string): string =>
      `trap '' TERM INT HUP; setsid sleep ${word}1 & (sleep ${word}2 >/dev/null 2>&1 &); env -i /bin/sh -c 'exec setsid sleep ${word}3' >/dev/null 2>&1 & sleep ${word}4 & echo up; wait`;

    test("by abort ends all it started, and nothing else in the box", async () => {
      const other = await box().open(command("sleep 7700; echo"));
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

    test("of its own accord ends what it left behind, and is not held up by it", async () => {
      const { end, out } = await sh(box(), "setsid sleep 7731 & (sleep 7732 &); env -i setsid sleep 7733 & echo done");
      expect([end, out]).toEqual([exit(0), "done\n"]);
      for (const n of [1, 2, 3]) expect(countOf(`773${n}`)).toBe(0);
    });

    test("by its own hand, all around it too, leaves the box usable", async () => {
      await sh(box(), "kill -9 -1; sleep 1");
      expect((await sh(box(), "echo still here")).out).toBe("still here\n");
    });

    test("of one that is talked to comes with its kill", async () => {
      const live = await box().open(command("trap '' TERM; setsid sleep 7741 & sleep 7742; sleep 7743"));
      if ("fault" in live) throw new Error(live.fault);
      await expect.poll(() => countOf("7741") + countOf("7742")).toBe(2);
      await live.kill();
      for (const n of [1, 2, 3]) expect(countOf(`774${n}`)).toBe(0);
    });

    test("before its start is at once", async () => {
      const stop = new AbortController();
      stop.abort();
      expect((await sh(box(), "echo never", {}, stop.signal)).end).toEqual({ kind: "cancelled" });
    });
  });
}

function isolation(box: () => Sandbox, withBox: WithBox): void {
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
      const secret = mkdtempSync(path.join(newFolder(), "host-"));
      writeFileSync(path.join(secret, "file"), "host only");
      const said = await sh(box(), `cat ${secret}/file; ls /root /home 2>/dev/null; env; kill -0 ${process.pid} 2>/dev/null && echo seen`);
      expect(said.out).not.toContain("host only");
      expect(said.out).not.toContain("seen");
      expect(said.out).not.toContain(process.env["VITEST_WORKER_ID"] === undefined ? "\0" : "VITEST");
    });

    test("has no privileges to gain and none to lose", async () => {
      const { out } = await sh(box(), "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status");
      expect(out.split("\n").map((row) => row.split(/\s+/)[1])).toEqual(["0000000000000000", "0000000000000000", "0000000000000000", "1", undefined]);
      expect((await sh(box(), "mount -t tmpfs none /workspace")).end).not.toEqual(exit(0));
    });

    test("with `network: none` has no way out", async () => {
      await withBox({ network: "none" }, async (other) => {
        const { out } = await sh(other, "cat /proc/net/dev | grep -v lo: | grep -c :; cat /proc/net/route | grep -vc Iface");
        expect(out).toBe("0\n0\n");
      });
    });

    test("shows a folder of the host read-only, or writable where asked", async () => {
      const host = newFolder();
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

function limitsOf(withBox: WithBox): void {
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
        const bomb = "i=0; while [ $i -lt 100 ]; do sleep 7750 & i=$((i+1)); done; wait";
        const { end, result } = await sh(box, bomb);
        expect(end.kind).toBe("exit");
        expect(result.limit).toEqual({ name: "pids", value: 40 });
        expect(countOf("7750")).toBe(0);
        expect((await sh(box, "echo fine")).out).toBe("fine\n");
      });
    });

    test("of processes does not keep a fork bomb from being stopped", async () => {
      await withBox({ pids: 40 }, async (box) => {
        const bomb = "i=0; while [ $i -lt 37 ]; do sleep 7760 & i=$((i+1)); [ $i != 34 ] || echo up; done; sleep 7760";
        const stop = new AbortController();
        const { end } = await sh(box, bomb, { onLine: () => stop.abort() }, stop.signal);
        expect(["cancelled", "lost"]).toContain(end.kind);
        expect(countOf("7760")).toBe(0);
      });
    });
  });
}

function lives(driver: SandboxDriver, spec: (more?: Partial<SandboxSpec>) => SandboxSpec): void {
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

    test("destroy ends what runs, and afterwards every use is a plain answer", async () => {
      const box = await make(driver, spec());
      const running = sh(box, "sleep 7780");
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
      expect(await driver.sweep(() => "over")).not.toContain(one.id);
    });

    test("a stop while it is made leaves nothing", async () => {
      const one = spec();
      const stop = new AbortController();
      const making = driver.create(one, stop.signal);
      stop.abort();
      const made = await making;
      if ("sandbox" in made) await made.sandbox.destroy("remove");
      expect(await driver.sweep(() => "over")).not.toContain(one.id);
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
      const removed = await driver.sweep((id) => ours.get(id) ?? "live");
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
