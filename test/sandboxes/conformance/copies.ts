import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/ports/sandbox.ts";
import { copyOut } from "../../../src/sandboxes/copy/out.ts";
import { command, exit, never, sh } from "../ground.ts";

export function copies(box: () => Sandbox, folder: string): void {
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
      const plant =
        "mkdir -p evil/d && cd evil && ln -s /etc e && ln -s ../../.. up && echo x >f && chmod 4755 f && ln f hard && mkfifo pipe";
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
      expect(await box().copyOut("/workspace", folder, never)).toMatchObject({
        fault: expect.stringContaining("exists") as string,
      });
      expect(await box().copyIn(path.join(folder, "none"), "/workspace/x", never)).toMatchObject({
        fault: expect.stringContaining("none") as string,
      });
    });
  });
}

function writeTo(folder: string, name: string, bytes: Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
}
