import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Place, trammel } from "./support/cli.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The untouched copy that the last line names. */
function yours(stdout: string): string {
  const folder = / --cwd (\S+)/.exec(stdout)?.[1] ?? "";
  made.push(dirname(folder));
  return folder;
}

describe("demo", () => {
  it("mends a really failing test, shows how, and says what was a recording", async () => {
    using place = new Place();
    const { code, stdout, stderr } = await trammel(["demo"], { place });
    const untouched = yours(stdout);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /test failure[^]*fix started \(pass 1 of 3\)[^]*fix changed versions\.js[^]*test \(pass 2\) success/,
    );
    expect(stdout).toMatch(/^all tests pass$/m);
    expect(stdout).toMatch(/^- {2}return a < b \? -1 : 1;$/m);
    expect(stdout).toContain("The agent's turn was a recording");
    expect(stdout).toMatch(/^ {2}trammel run "Make the tests pass" -b \S+fix-test-failure\.yaml --cwd \S+$/m);
    const test = (folder: string) => spawnSync("npm", ["test", "--silent"], { cwd: folder }).status;
    expect(test(untouched)).toBe(1);
    expect(test(untouched.replace(/yours$/, "project"))).toBe(0);
    expect(readFileSync(`${untouched}/versions.js`, "utf8")).toContain("return a < b ? -1 : 1;");
  });

  it("ends with a command that can be pasted, whatever its temporary folder is called", async () => {
    using place = new Place();
    mkdirSync(place.path("it's temporary"));
    const { stdout } = await trammel(["demo"], { place, env: { TMPDIR: place.path("it's temporary") } });
    const pasted = /^ {2}trammel (run .*)$/m.exec(stdout)?.[1] ?? "";
    const words = execFileSync("sh", ["-c", `printf '%s\\0' ${pasted}`], { encoding: "utf8" });
    const { code, stdout: route } = await trammel([...words.split("\0").slice(0, -1), "--dry-run"], { place });
    expect(code).toBe(0);
    expect(route).toMatch(/fix-test-failure\.yaml, if every node succeeds/);
  });

  it("needs no git and no home that can be written, and shows the live tree on a terminal", async () => {
    using place = new Place();
    // Only what an npm script needs.
    for (const program of ["node", "npm", "sh", "stty", "script"]) {
      symlinkSync(
        execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim(),
        place.path(program),
      );
    }
    const env = {
      PATH: place.folder,
      HOME: "/dev/null",
      TRAMMEL_HOME: "/dev/null/x",
      NO_COLOR: "1",
      npm_command: "exec",
    };
    const { code, stdout } = await trammel(["demo"], { place, env, terminal: true });
    expect(stdout).toMatch(/ {2}npx trammel run "Make the tests pass"/);
    yours(stdout);
    expect(code).toBe(0);
    expect(stripVTControlCharacters(stdout)).toMatch(/✓ ■ test +×2 .*\r\n ✓ ◆ fix +1\/3 /);
  });
});
