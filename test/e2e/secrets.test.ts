import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { secretListShape } from "../../src/wire/secrets.ts";
import { filesUnder, lastLine, Place, start, type StartOptions, trammel } from "./support/cli.ts";

const blueprint = `name: b
entry: say
nodes:
  say: {type: script, secrets: [DEPLOY_TOKEN], run: 'printf "token %s\\n" "$DEPLOY_TOKEN"; printf %s "$DEPLOY_TOKEN" | wc -c'}
`;

/** No keyring can be reached from here. */
const noSession = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };

describe("a secret without a keyring", () => {
  it("is in a file of its user, said aloud, reaches the node that names it, and shows nowhere", async () => {
    using place = new Place();
    place.file("b.yaml", blueprint);
    const options: StartOptions = { place, env: noSession };
    const missing = await trammel(["run", "-b", "b.yaml"], options);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("trammel secret set DEPLOY_TOKEN")]);
    const set = await trammel(["secret", "set", "DEPLOY_TOKEN"], { ...options, input: "canary-7f3-é\n" });
    expect([set.code, set.stdout]).toEqual([0, ""]);
    expect(set.stderr).toMatch(/^DEPLOY_TOKEN is in a file that only you can read, not encrypted, as the keyring/);
    const ran = await trammel(["run", "-b", "b.yaml", "--json"], {
      place,
      env: { ...noSession, DEPLOY_TOKEN: "of the shell" },
    });
    expect(ran.code).toBe(0);
    const shown = await trammel(["show", String(lastLine(ran)["run"])], options);
    expect(shown.stdout).toContain("token ***");
    expect(shown.stdout).toMatch(/\b13\b/);
    const kept = filesUnder(place.home).filter(({ text }) => text.includes("canary-7f3"));
    expect(kept.map(({ name }) => name)).toEqual(["DEPLOY_TOKEN"]);
    const listed = await trammel(["secret", "list", "--json"], options);
    expect(secretListShape.parse(JSON.parse(listed.stdout))).toEqual({
      secrets: [{ name: "DEPLOY_TOKEN", where: "file" }],
    });
    expect((await trammel(["secret", "rm", "DEPLOY_TOKEN"], options)).code).toBe(0);
    expect((await trammel(["secret", "rm", "DEPLOY_TOKEN"], options)).code).toBe(2);
    expect((await trammel(["secret", "list"], options)).stdout).toBe("");
  });

  it("shows in no name of a file that a node may not write", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: b
nodes:
  a: {type: script, secrets: [DEPLOY_TOKEN], writes: ["ok/**"], run: 'touch "of-$DEPLOY_TOKEN.txt"'}
`,
    );
    execFileSync("git", ["init", "-q", place.path(".")]);
    const env = { ...noSession, DEPLOY_TOKEN: "canary-7f3-é" };
    const ran = await trammel(["run", "-b", "b.yaml"], { place, env });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("it changed what it may not: of-***.txt")]);
    const journal = filesUnder(place.home).filter(({ name }) => name.startsWith("trammel.db"));
    expect(journal.length).toBeGreaterThan(0);
    expect(journal.filter(({ text }) => text.includes("canary-7f3"))).toEqual([]);
  });

  it("that is no text, or too long, is not kept, and why is said", async () => {
    using place = new Place();
    const piped = (bytes: string) => ({ place, env: noSession, wrapper: ["sh", "-c", `${bytes} | "$@"`, "sh"] });
    const set = ["secret", "set", "TOKEN"];
    const raw = await trammel(set, piped("printf 'a\\377'"));
    expect([raw.code, raw.stderr]).toEqual([2, expect.stringContaining("TOKEN is no text")]);
    const long = await trammel(set, piped("head -c 300000 /dev/zero | tr '\\0' x"));
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining("TOKEN is longer than 65536 characters")]);
    expect((await trammel(["secret", "list"], { place, env: noSession })).stdout).toBe("");
  });

  it("is asked for at a terminal without showing it, and given up by Ctrl-C", async () => {
    using place = new Place();
    const options: StartOptions = { place, env: noSession, terminal: true };
    const asked = start(["secret", "set", "TOKEN"], options);
    await asked.until(/TOKEN \(not shown\): /);
    asked.type("canary-7f3\n");
    expect((await asked.end).code).toBe(0);
    expect(asked.stdout).not.toContain("canary");
    expect(readFileSync(join(place.home, "secrets", "named", "TOKEN"), "utf8")).toBe("canary-7f3");
    const left = start(["secret", "set", "OTHER"], options);
    await left.until(/OTHER \(not shown\): /);
    left.type("half\u0003");
    expect((await left.end).code).toBe(130);
    expect(readdirSync(join(place.home, "secrets", "named"))).toEqual(["TOKEN"]);
  });

  it.each<[string, string, string, RegExp]>([
    ["no value", "TOKEN", "", /no value for TOKEN was given/],
    ["a name that is no variable", "my-token", "x", /my-token is no name of a secret/],
    ["a path for a name", "../TOKEN", "x", /is no name of a secret/],
    ["a NUL", "TOKEN", "a\0b", /holds a NUL/],
    ["too much", "TOKEN", "x".repeat(70_000), /is longer than 65536 characters/],
  ])("is not kept with %s", async (_, name, input, message) => {
    using place = new Place();
    const { code, stderr } = await trammel(["secret", "set", name], { place, env: noSession, input });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(place.home, "secrets"))).toBe(false);
  });

  it("is not changed from inside a run", async () => {
    using place = new Place();
    const env = { ...noSession, TRAMMEL_RUN: "r" };
    for (const command of ["set", "rm"])
      expect((await trammel(["secret", command, "TOKEN"], { place, env, input: "x" })).stderr).toContain(
        "inside a run",
      );
  });
});

const programs = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"];
const hasKeyring = programs.every((program) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program))),
);

it.runIf(hasKeyring)(
  "a secret in the keyring of a desktop is in no file, and comes before the environment",
  async () => {
    using place = new Place();
    place.file("b.yaml", blueprint);
    place.file(
      "session.sh",
      `printf pw | gnome-keyring-daemon --unlock --components=secrets > /dev/null
set -e
export DEPLOY_TOKEN=of-the-shell
run() { "$@" 2>> errors; }
printf canary-7f3 | run "$@" secret set DEPLOY_TOKEN
run "$@" secret list
run "$@" run -b b.yaml
run "$@" secret rm DEPLOY_TOKEN
run "$@" run -b b.yaml
`,
    );
    // It puts a socket there, whose path may only be short.
    const runtime = mkdtempSync("/tmp/trammel-keyring-");
    onTestFinished(() => rmSync(runtime, { recursive: true, force: true }));
    const env = { HOME: place.folder, XDG_RUNTIME_DIR: runtime };
    const wrapper = ["dbus-run-session", "--", "sh", place.path("session.sh")];
    const { code, stdout } = await start([], { place, env, wrapper }).end;
    expect([code, stdout]).toEqual([0, "DEPLOY_TOKEN  keyring\ntoken ***\n10\ntoken ***\n12\n"]);
    expect(place.read("errors")).toContain("DEPLOY_TOKEN is in the keyring\n");
    expect(
      filesUnder(place.folder)
        .filter(({ text }) => text.includes("canary-7f3"))
        .map(({ name }) => name),
    ).toEqual(["session.sh"]);
  },
);
