import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Finished, Place, root, Running } from "./support/cli.ts";

/**
 * A copy of the launcher that takes the running Node for an old one, with a program of the test's own where the built
 * one would be. The version is what differs; the way to the other Node is the real one.
 */
class OldNode implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "trammel-launcher-"));
  readonly launcher = join(this.folder, "bin", "trammel.js");

  constructor(program: string | null, bundled = true) {
    cpSync(join(root, "bin"), join(this.folder, "bin"), { recursive: true });
    writeFileSync(join(this.folder, "package.json"), `{"type":"module"}`);
    if (program !== null) {
      mkdirSync(join(this.folder, "dist", "cli"), { recursive: true });
      writeFileSync(join(this.folder, "dist", "cli", "main.cjs"), program);
    }
    if (!bundled) return;
    const fake = join(this.folder, "node_modules", "node");
    mkdirSync(join(fake, "bin"), { recursive: true });
    writeFileSync(join(fake, "package.json"), `{"name":"node","version":"24.0.0"}`);
    symlinkSync(process.execPath, join(fake, "bin", "node"));
  }

  start(version: string, ...args: readonly string[]): Running {
    const preload = join(this.folder, "version.cjs");
    writeFileSync(
      preload,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: ${JSON.stringify(version)} } });`,
    );
    return new Running(
      spawn(process.execPath, ["--require", preload, this.launcher, ...args], {
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
      }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const orphans: number[] = [];
afterEach(() => {
  for (const pid of orphans.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
});

function isAlive(pid: number): boolean {
  return (
    existsSync(`/proc/${pid}/stat`) &&
    !/^State:\s+Z/m.test(execFileSync("cat", [`/proc/${pid}/status`], { encoding: "utf8" }))
  );
}

/** Prints its pid and how it heard of an interrupt, as the engine does. */
const attached = `
let stops = 0;
void import(${JSON.stringify(join(root, "src", "cli", "running", "interrupts.ts"))}).then(({ onInterrupt }) => {
  onInterrupt(process.env, (by) => { console.log("stop by " + by); if (by !== "Ctrl-C" || ++stops > 1) process.exit(130); });
  console.log("pid " + process.pid);
});
setInterval(() => undefined, 1000);
`;

function pidIn(text: string): number {
  const pid = Number(/pid (\d+)/.exec(text)?.[1]);
  orphans.push(pid);
  return pid;
}

describe("under a Node that is too old", () => {
  it("runs the bundled Node with the same arguments, input and exit code", async () => {
    using old = new OldNode(
      `process.stdin.pipe(process.stdout); process.stderr.write(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;`,
    );
    const running = old.start("20.20.2", "a b", "--x");
    running.type("typed");
    running.child.stdin?.end();
    expect(await running.end).toEqual<Finished>({ code: 7, signal: null, stdout: "typed", stderr: `["a b","--x"]` });
  });

  it("says in one sentence what is needed when there is none", async () => {
    using old = new OldNode("", false);
    const { code, stdout, stderr } = await old.start("18.0.0").end;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^trammel: needs Node 22\.18 or newer, this is 18\.0\.0 \(.*\); install .*\n$/);
  });

  it("says so in one sentence where the other one cannot be started", async () => {
    using old = new OldNode("");
    // Leaves just enough to read the launcher.
    const preload = join(old.folder, "full.cjs");
    writeFileSync(
      preload,
      `const { closeSync, openSync } = require("node:fs");
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch {}
      held.slice(0, 3).forEach((one) => closeSync(one));
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } });`,
    );
    const full = ["-c", `ulimit -n 256; exec "$0" "$@"`, process.execPath, "--require", preload, old.launcher];
    const { code, stderr } = await new Running(spawn("sh", full, { stdio: "pipe" })).end;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^trammel: could not start \S+\/bin\/node: spawn \S+ EMFILE\n$/);
  });

  it("ends by the signal that ended the program", async () => {
    using old = new OldNode(`process.kill(process.pid, "SIGKILL"); setInterval(() => undefined, 1000);`);
    expect(await old.start("20.0.0").end).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("counts one Ctrl-C once, although the terminal sends it to both", async () => {
    using old = new OldNode(attached);
    const running = old.start("20.0.0");
    await running.until(/pid \d+/);
    pidIn(running.stdout);
    process.kill(-(running.child.pid ?? 0), "SIGINT");
    await running.until(/stop by Ctrl-C/);
    process.kill(-(running.child.pid ?? 0), "SIGINT");
    const { code, stdout } = await running.end;
    expect(code).toBe(130);
    expect(stdout.match(/stop by Ctrl-C/g)).toHaveLength(2);
  });

  it("passes on an interrupt that only the launcher got", async () => {
    using old = new OldNode(attached);
    const running = old.start("20.0.0");
    await running.until(/pid \d+/);
    pidIn(running.stdout);
    running.child.kill("SIGINT");
    await running.until(/stop by Ctrl-C/);
    running.child.kill("SIGTERM");
    expect((await running.end).stdout).toContain("stop by SIGTERM");
  });

  it("takes the program with it when it is killed outright: the run is not stopped but interrupted", async () => {
    using old = new OldNode(attached);
    const running = old.start("20.0.0");
    await running.until(/pid \d+/);
    const pid = pidIn(running.stdout);
    running.child.kill("SIGKILL");
    // The pipes close when the last process that holds them is gone.
    const { stdout } = await running.end;
    expect(stdout).not.toContain("stop by");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe("under a Node that is new enough", () => {
  it("runs in the same process", async () => {
    using old = new OldNode(`console.log(process.pid);`);
    const running = old.start("22.18.0");
    expect(await running.end).toMatchObject({ code: 0, stdout: `${running.child.pid}\n` });
  });

  it("says how to build a copy that is not built", async () => {
    using old = new OldNode(null);
    const { code, stderr } = await old.start("24.0.0").end;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^trammel: this copy is not built yet; run `npm ci` in .*\n$/);
  });

  it("is syntax that Node 12 can parse", () => {
    const text = execFileSync("cat", [join(root, "bin", "trammel.js")], { encoding: "utf8" });
    expect(text).not.toMatch(/\?\?|\?\.(?!\d)|\|\|=|&&=|#[a-z]+\b.*=|^import /m);
  });
});

it("can be started through a link, as npm installs it", async () => {
  using place = new Place();
  const link = place.path("trammel");
  symlinkSync(join(root, "bin", "trammel.js"), link);
  chmodSync(join(root, "bin", "trammel.js"), 0o755);
  const { code } = await new Running(spawn(process.execPath, [link, "--version"], { stdio: "pipe" })).end;
  expect(code).toBe(0);
});
