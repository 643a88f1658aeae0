import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lastLine, Place, start, trammel, type Finished } from "../e2e/support/cli.ts";
import { countOf, nap } from "../support/naps.ts";
import { document, expectNothingLeft, repository, subjects } from "./boxed.ts";
import { image, works } from "./ground.ts";

interface Attempt {
  readonly outcome: string;
  readonly reason: string | null;
  readonly output: string;
}

async function attemptsOf(place: Place, ran: Finished): Promise<Readonly<Record<string, Attempt>>> {
  const shown = await trammel(["show", String(lastLine(ran)["run"]), "--json"], { place });
  const { nodes } = JSON.parse(shown.stdout) as { nodes: readonly { id: string; attempts: readonly Attempt[] }[] };
  return Object.fromEntries(nodes.flatMap(({ id, attempts: [first] }) => (first === undefined ? [] : [[id, first]])));
}

function run(place: Place, text: string, env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  place.file("boxed.yaml", text);
  return trammel(["run", "the task", "-b", "boxed.yaml", "--json"], { place, env });
}

/** The folder that a kept workspace is said to be in; a volume goes at the end of the test. */
function folderOf(where: string, id: string): string {
  const [engine = "", what] = where.split(" ");
  if (what !== "volume") return where;
  onTestFinished(() => void execFileSync(engine, ["volume", "rm", id]));
  return execFileSync(engine, ["volume", "inspect", "--format", "{{.Mountpoint}}", id], { encoding: "utf8" }).trim();
}

describe.each(subjects)("a run with a box of $name", ({ image: from, engine, there }) => {
  const provision = `box: {type: provision, image: "${from}", network: none, env: [MY_API_KEY, NOT_SET_4711]`;

  test.runIf(there)("checks out, works, keeps the change as a patch, and leaves nothing else", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    const side = repository(place);
    const canary = "sk-canary-0815-4711";
    const work =
      'echo "[$COMMIT] [$MY_API_KEY] [$TRAMMEL_INPUT_TASK]"; cat a.txt; echo third >a.txt; echo new >"b c"; env >env.txt';
    const ran = await run(
      place,
      document(
        `${provision}}`,
        'clone: {type: checkout, container: "{box}", repo: ./repo, ref: side, path: src}',
        `work: {type: exec, container: "{box}", workdir: src, env: {COMMIT: "{clone}"}, run: '${work}'}`,
      ),
      { MY_API_KEY: canary, SOME_OTHER_TOKEN: "of-the-engine" },
    );
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const attempts = await attemptsOf(place, ran);
    const runId = String(lastLine(ran)["run"]);
    expect(attempts["box"]?.output).toBe(`trammel-${runId}-1-box`);
    expect(attempts["clone"]?.output).toBe(side);
    expect(attempts["work"]?.output).toBe(`[${side}] [***] [the task]\nsecond\n`);
    expect(ran.stdout).toContain("NOT_SET_4711");
    const patch = readFileSync(join(place.home, "artifacts", runId, "clone.patch"), "utf8");
    expect(patch).toContain("-second\n+third\n");
    expect(patch).toContain("b/b c");
    expect(patch).not.toContain("of-the-engine");
    expect(spawnSync("grep", ["-rlF", canary, place.home], { encoding: "utf8" })).toMatchObject({
      status: 1,
      stdout: "",
    });
    expectNothingLeft(place, runId);
  });

  test.runIf(there)("keeps its workspace where that is asked for, through later sweeps", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    place.file(
      "boxed.yaml",
      document(`${provision}}`, 'work: {type: exec, container: "{box}", run: "echo precious >it"}'),
    );
    const kept = await trammel(["run", "-b", "boxed.yaml", "--json", "--keep-sandbox"], { place });
    const again = await trammel(["run", "-b", "boxed.yaml", "--json"], { place });
    expect([lastLine(kept)["status"], lastLine(again)["status"]]).toEqual(["succeeded", "succeeded"]);
    const where = /^kept: (.+)$/m.exec(kept.stderr)?.[1] ?? "";
    const id = `trammel-${String(lastLine(kept)["run"])}-1-box`;
    expect(readFileSync(join(folderOf(where, id), "it"), "utf8")).toBe("precious\n");
    const enter = /^enter it with: (.+)$/m.exec(kept.stderr)?.[1] ?? "";
    const entered = spawnSync("sh", ["-c", enter.replace(" --tty", "")], { input: "cat it\n", encoding: "utf8" });
    expect(entered).toMatchObject({ status: 0, stdout: "precious\n" });
    expect(readdirSync(join(place.home, "sandboxes", "records"))).toEqual([`${id}.json`]);
  });

  test.runIf(there)("names what went wrong in it", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    const small = `${provision}, memory: 64MiB}`;
    const limit = await run(place, document(small, 'hog: {type: exec, container: "{box}", run: "tail /dev/zero"}'));
    expect(lastLine(limit)).toMatchObject({ status: "failed" });
    expect((await attemptsOf(place, limit))["hog"]).toMatchObject({
      outcome: "failure",
      reason: expect.stringContaining("limit of memory (64MiB)") as string,
    });
    const lost = await run(
      place,
      document(small, 'away: {type: exec, container: "{box}", workdir: /nowhere, run: pwd}'),
    );
    expect((await attemptsOf(place, lost))["away"]).toMatchObject({
      outcome: "error",
      reason: expect.stringContaining("/nowhere") as string,
    });
    const nothing = await run(place, document(small, 'clone: {type: checkout, container: "{box}", repo: ./none}'));
    expect((await attemptsOf(place, nothing))["clone"]?.outcome).toBe("failure");
  });
});

describe.each(subjects)("a command in a box of $name", ({ image: from, engine, there }) => {
  test.runIf(there)("has ports of its own, after a failure too", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    const write = (text: string): string => `'printf %s "$PORTS" >$TRAMMEL_OUTPUT; exit ${text}'`;
    const nodes = [
      `box: {type: provision, image: "${from}", network: none}`,
      `make: {type: exec, container: "{box}", env: {PORTS: '{"version": "1.2", "list": [1, {"a": true}]}'}, run: ${write("0")}}`,
      `fail: {type: exec, container: "{box}", expect: failure, env: {PORTS: '{"why": "so"}'}, run: ${write("3")}}`,
      `take: {type: exec, container: "{box}", env: {V: "{make.version} {make.list.1.a} {fail.why}"}, run: 'echo "$V"'}`,
      `bad: {type: exec, container: "{box}", env: {PORTS: "no json"}, run: ${write("0")}}`,
    ];
    const ran = await run(place, document(...nodes));
    const attempts = await attemptsOf(place, ran);
    expect(attempts["take"]).toMatchObject({ outcome: "success", output: "1.2 true so\n" });
    expect(attempts["bad"]).toMatchObject({
      outcome: "failure",
      reason: expect.stringContaining("$TRAMMEL_OUTPUT is no JSON") as string,
    });
  });
});

test.runIf(works("bubblewrap"))("a value too large for a variable is a file in the box", async () => {
  using place = new Place();
  place.file("big.json", JSON.stringify({ blob: "x".repeat(100_000) }));
  place.file(
    "boxed.yaml",
    `inputs: {blob: string}\n${document(
      "box: {type: provision, image: host}",
      'make: {type: exec, container: "{box}", run: "head -c 200000 /dev/zero | tr \\\\0 y"}',
      'take: {type: exec, container: "{box}", env: {BIG: "{make}"}, run: "wc -c <$BIG_FILE; wc -c <$TRAMMEL_INPUT_BLOB_FILE; echo ${BIG-unset}"}',
    )}`,
  );
  const ran = await trammel(["run", "-b", "boxed.yaml", "--input-file", "big.json", "--json"], { place });
  expect((await attemptsOf(place, ran))["take"]).toMatchObject({
    outcome: "success",
    output: "200000\n100000\nunset\n",
  });
});

describe.runIf(works("docker"))("docker", () => {
  test("a box that fails after it was created is removed", async () => {
    using place = new Place();
    const docker = execFileSync("sh", ["-c", "command -v docker"], { encoding: "utf8" }).trim();
    mkdirSync(place.path("bin"));
    const shim = `#!/bin/sh\n[ "$1" = run ] || exec ${docker} "$@"\nshift\n${docker} create "$@" >&2\nexit 125\n`;
    chmodSync(place.file("bin/docker", shim), 0o755);
    place.file("trammel.yaml", "sandbox: {driver: docker}");
    const ran = await run(place, document(`box: {type: provision, image: "${image}"}`), {
      PATH: `${place.path("bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    });
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expectNothingLeft(place, String(lastLine(ran)["run"]));
  });

  test("a box that was being made when the engine died is made by the next", async () => {
    using place = new Place();
    const docker = execFileSync("sh", ["-c", "command -v docker"], { encoding: "utf8" }).trim();
    mkdirSync(place.path("bin"));
    const slow = place.path("slow");
    const shim = `#!/bin/sh\n[ "$1" = run ] && [ ! -e ${slow} ] && touch ${slow} && exec sleep ${nap("7795")}\nexec ${docker} "$@"\n`;
    chmodSync(place.file("bin/docker", shim), 0o755);
    place.file("trammel.yaml", "sandbox: {driver: docker}");
    place.file("boxed.yaml", document(`box: {type: provision, image: "${image}"}`));
    const env = { PATH: `${place.path("bin")}${delimiter}${process.env["PATH"] ?? ""}` };
    const first = start(["run", "-b", "boxed.yaml", "--json"], { place, env });
    await expect.poll(() => countOf("7795")).toBe(1);
    first.child.kill("SIGKILL");
    await first.end;
    const { run: runId } = JSON.parse(first.stdout.split("\n")[0] ?? "") as { run: string };
    const resumed = await trammel(["resume", runId, "--json"], { place, env });
    expect(lastLine(resumed)).toMatchObject({ status: "succeeded" });
    expect(countOf("7795")).toBe(0);
    expectNothingLeft(place, runId);
  });

  test("clones inside where the box has a network", async () => {
    using place = new Place();
    const side = repository(place);
    execFileSync("git", ["clone", "-q", "--bare", place.path("repo"), place.path("served.git")]);
    execFileSync("git", ["--git-dir", place.path("served.git"), "update-server-info"]);
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const file = join(place.folder, new URL(request.url ?? "", "http://box").pathname);
      asked.push(file);
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
    const { port } = server.address() as AddressInfo;
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const host = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "";
    place.file("trammel.yaml", "sandbox: {driver: docker}");
    const ran = await run(
      place,
      document(
        `box: {type: provision, image: "${image}"}`,
        `clone: {type: checkout, container: "{box}", repo: "http://${host}:${port}/served.git", ref: side}`,
      ),
    );
    server.close();
    expect((await attemptsOf(place, ran))["clone"]).toMatchObject({ outcome: "success", output: side });
    expect(asked.length).toBeGreaterThan(0);
  });
});

test("an image that needs an engine nobody has is refused before the run begins", async () => {
  using place = new Place();
  mkdirSync(place.path("bin"));
  const ran = await run(place, document('box: {type: provision, image: "some:1"}'), { PATH: place.path("bin") });
  expect(ran.code).toBe(2);
  expect(`${ran.stdout}${ran.stderr}`).toContain("no container engine is installed");
});
