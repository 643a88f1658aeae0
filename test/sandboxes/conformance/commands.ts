import { execFileSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/ports/sandbox.ts";
import { command, exit, sh } from "../ground.ts";

export function commands(box: () => Sandbox): void {
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
      const line =
        "i=0; while [ $i -lt 40000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; echo TAIL";
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
      const said = await sh(box(), "", {
        argv: ["sh", "-c", 'for w in "$@"; do printf "[%s]" "$w"; done', "sh", ...words],
      });
      expect(said.out).toBe(words.map((word) => `[${word}]`).join(""));
    });

    test("sees its variables whatever their name or value, and none of how they came", async () => {
      const env = {
        CANARY: 'it\'s $(a) "test"\nwith lines',
        PATH: "/bin:/usr/bin",
        LD_PRELOAD: "",
        DOCKER_HOST: "nowhere",
        i: "1",
        IFS: "x",
      };
      const said = await sh(box(), 'printf "%s|" "$CANARY" "$PATH" "$DOCKER_HOST" "$i"; env | grep -c TRAMMEL_VALUE', {
        env,
      });
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
      expect(await Promise.all([text(live.stdout), text(live.stderr), live.end])).toEqual([
        "got two\n",
        "bye\n",
        exit(5),
      ]);
    });
  });
}
