import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { Place, start, trammel } from "./support/cli.ts";

const gate = `name: g
entry: a
nodes:
  a: {type: human, mode: approval, prompt: "Ship it?"}
  b: {type: script, run: "touch shipped"}
edges:
  - {from: a, when: success, to: b}
  - {from: a, when: failure, to: END}
`;

describe("an approval at a terminal", () => {
  it.each<[string, string, number, boolean]>([
    ["y", "y\n", 0, true],
    ["Yes", "Yes\n", 0, true],
    ["Enter", "\n", 1, false],
    ["no", "n\n", 1, false],
    ["the end of input", "\u0004", 1, false],
  ])("takes %s for what it is", async (_, typed, code, shipped) => {
    using place = new Place();
    place.file("b.yaml", gate);
    const run = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
    await run.until(/Approve\? \[y\/N\]/);
    run.type(typed);
    expect((await run.end).code).toBe(code);
    expect(existsSync(place.path("shipped"))).toBe(shipped);
  });

  it("is not what was typed before the question stood there", async () => {
    using place = new Place();
    const looking = '  w: {type: script, run: "until [ -e go ]; do sleep 0.05; done"}\n';
    place.file(
      "b.yaml",
      gate.replace("entry: a", "entry: w").replace("nodes:\n", `nodes:\n${looking}`) + "  - {from: w, to: a}\n",
    );
    const run = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
    run.type("yes\nyes\nyes, please\n");
    // The terminal has shown it.
    await run.until(/yes, please/);
    place.file("go", "");
    await run.until(/Approve\? \[y\/N\]/);
    run.type("no\n");
    expect((await run.end).code).toBe(1);
    expect(existsSync(place.path("shipped"))).toBe(false);
  });

  it.each<[string, string | undefined]>([
    ["nobody", undefined],
    ["a pipe that says yes", "y\n"],
  ])("is an error at once where %s is at the other end", async (_, input) => {
    using place = new Place();
    place.file("b.yaml", gate);
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--max-retries", "3"], {
      place,
      ...(input === undefined ? {} : { input }),
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr.match(/a started/g)).toHaveLength(1);
    expect(existsSync(place.path("shipped"))).toBe(false);
  });
});

describe("the live view", () => {
  it("draws each node with its state and leaves the last frame", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: live\nentry: a\nnodes:\n  a: {type: script, run: "echo 日本語; exit 1"}\n  b: {type: script, run: "echo done"}\nedges:\n  - {from: a, when: failure, to: b}\n  - {from: a, when: success, to: END}\n`,
    );
    const { code, stdout } = await trammel(["run", "see it", "-b", "b.yaml"], { place, terminal: true });
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[?25l");
    expect(stdout.lastIndexOf("\u001b[?25h")).toBeGreaterThan(stdout.lastIndexOf("\u001b[?25l"));
    const text = stripVTControlCharacters(stdout);
    expect(text).toMatch(/✗ ■ a .*日本語/);
    expect(text).toMatch(/✓ ■ b .*done/);
  });

  it("draws with ASCII alone where the locale has no more", async () => {
    using place = new Place();
    place.file("b.yaml", `name: live\nentry: a\nnodes:\n  a: {type: script, run: "echo said; exit 1"}\n`);
    const env = { LC_ALL: "C" };
    const { stdout } = await trammel(["run", "see it", "-b", "b.yaml"], { place, terminal: true, env });
    expect(stripVTControlCharacters(stdout)).toMatch(/x # a .*said/);
    expect(stdout).toMatch(/^[\u0000-\u007f]+$/);
    const piped = await trammel(["show", String(/run (\w+) failed/.exec(stdout)?.[1])], { place, env });
    expect(piped.stdout).toContain("✗ a (script)\n");
  });

  it("has no colour under NO_COLOR and is one line an event under --plain or on a dumb terminal", async () => {
    using place = new Place();
    place.file("b.yaml", `name: live\nnodes:\n  a: {type: script, run: "true"}\n`);
    const colourless = await trammel(["run", "t", "-b", "b.yaml"], { place, terminal: true, env: { NO_COLOR: "1" } });
    expect(colourless.stdout).not.toMatch(/\u001b\[\d+m/);
    for (const args of [["--plain"], []]) {
      const plain = await trammel(["run", "t", "-b", "b.yaml", ...args], {
        place,
        terminal: true,
        env: args.length === 0 ? { TERM: "dumb" } : {},
      });
      expect(plain.stdout).not.toContain("\u001b");
      expect(plain.stdout).toMatch(/a started/);
    }
  });
});

describe("what a program wrote", () => {
  it("is text on a terminal and itself in a pipe", async () => {
    using place = new Place();
    place.file("b.yaml", `name: r\nnodes:\n  a: {type: script, run: "printf '\\\\033[2Jgone\\\\n'"}\n`);
    expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).stdout).toBe("\u001b[2Jgone\n");
    const shown = await trammel(["run", "t", "-b", "b.yaml"], { place, terminal: true });
    expect(shown.stdout).toMatch(/\u001b\[\?25hgone\r\n/);
    expect(shown.stdout).not.toContain("\u001b[2J");
  });
});
