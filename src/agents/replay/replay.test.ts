import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import type { AgentProvider, AgentRequest, AgentResult } from "../../ports/provider.ts";
import { applyChanges } from "./apply.ts";
import { createReplayProvider, recording } from "./provider.ts";

let folder: string;
let project: string;
let cassettes: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-cassette-"));
  cassettes = join(folder, "cassettes");
  project = await makeProject("project");
});

afterEach(() => rm(folder, { recursive: true }));

/** The same small project under any name. */
async function makeProject(name: string): Promise<string> {
  const root = join(folder, name);
  await mkdir(join(root, "src"), { recursive: true });
  await mkdir(join(root, "old"));
  await writeFile(join(root, "src", "a.js"), "wrong\n");
  await writeFile(join(root, "old", "gone.js"), "x");
  await writeFile(join(root, "run.sh"), "#!/bin/sh\n");
  await writeFile(join(root, ".gitignore"), "dist/\n*.log\n!keep.log\n");
  await symlink("src", join(root, "link"));
  return root;
}

const mask = (text: string): string => text.replaceAll("canary-7f3", "***");

const done: AgentResult = {
  outcome: "success",
  message: "mended",
  usage: { inputTokens: 100, outputTokens: 10, turns: 2 },
  beforeEffect: false,
};

/** An agent that changes files in each way there is. */
const worker: AgentProvider = {
  name: "ai",
  missing: () => null,
  async run({ workspace }, emit) {
    emit({ type: "text", text: `looking at ${workspace}/src/a.js` });
    await writeFile(join(workspace, "src", "a.js"), "right\n");
    emit({ type: "diff", path: "src/a.js", before: "wrong\n", after: "right\n" });
    await rm(join(workspace, "old"), { recursive: true });
    await mkdir(join(workspace, "new", "deep"), { recursive: true });
    await writeFile(join(workspace, "new", "deep", "b.bin"), Buffer.from([0xff, 0x00, 0xfe]));
    await writeFile(join(workspace, "keep.log"), `at ${workspace}, key canary-7f3`);
    await writeFile(join(workspace, "left-out.log"), "x");
    await mkdir(join(workspace, "dist"));
    await writeFile(join(workspace, "dist", "out.js"), "x");
    await chmod(join(workspace, "run.sh"), 0o755);
    await rm(join(workspace, "link"));
    await symlink("new", join(workspace, "link"));
    emit({ type: "stop", why: "end_turn" });
    return { ...done, message: `mended ${workspace}` };
  },
};

function request(part: Partial<AgentRequest> = {}): AgentRequest {
  const workspace = part.workspace ?? project;
  return agentRequest({ node: "fix", prompt: `Mend this.\nThe test of ${workspace} fails.`, workspace, ...part });
}

async function recordOne(part: Partial<AgentRequest> = {}) {
  return play(recording(worker, { folder: cassettes, except: [], mask }), request(part));
}

async function replayOne(part: Partial<AgentRequest> = {}) {
  return play(createReplayProvider(cassettes, mask), request(part));
}

describe("a recording", () => {
  test("changes nothing of what the agent said and did", async () => {
    const { result, events } = await recordOne();
    expect(result).toMatchObject({ outcome: "success", message: `mended ${project}` });
    expect(events.map((event) => event.type)).toEqual(["text", "diff", "stop"]);
    expect(await readFile(join(project, "src", "a.js"), "utf8")).toBe("right\n");
  });

  test("is one file a node and pass, without secrets and without the workspace's path", async () => {
    await recordOne();
    await rm(project, { recursive: true });
    await makeProject("project");
    await recordOne({ pass: 2, prompt: "canary-7f3" });
    expect((await readdir(cassettes)).toSorted()).toEqual(["fix.1.jsonl", "fix.2.jsonl"]);
    const text =
      (await readFile(join(cassettes, "fix.1.jsonl"), "utf8")) +
      (await readFile(join(cassettes, "fix.2.jsonl"), "utf8"));
    expect(text).not.toContain("canary-7f3");
    expect(text).not.toContain(folder);
    expect(JSON.parse(text.split("\n")[0] ?? "")).toMatchObject({ cassette: 1, node: "fix", pass: 1, provider: "ai" });
  });

  test("that could not be kept is refused before the agent starts", async () => {
    await writeFile(cassettes, "a file in the way");
    const { result, events } = await recordOne();
    expect(result).toMatchObject({ outcome: "error", reason: { code: "spill" }, beforeEffect: true });
    expect(events).toEqual([]);
    expect(await readFile(join(project, "src", "a.js"), "utf8")).toBe("wrong\n");
  });

  test("may lie in the workspace, like our own data, and is no change of it", async () => {
    const inside = join(project, "cassettes");
    const restless: AgentProvider = {
      ...worker,
      async run(...args) {
        await mkdir(join(project, ".data"));
        await writeFile(join(project, ".data", "journal"), "x");
        return worker.run(...args);
      },
    };
    await play(recording(restless, { folder: inside, except: [join(project, ".data")], mask }), request());
    expect(await readFile(join(inside, "fix.1.jsonl"), "utf8")).not.toMatch(/"path":"(cassettes|\.data)/);
  });
});

describe("a replay", () => {
  test("says and does the same in another folder", async () => {
    await recordOne();
    const elsewhere = await makeProject("elsewhere");
    const { result, events } = await replayOne({ workspace: elsewhere });
    expect(result).toEqual({ ...done, message: `mended ${elsewhere}` });
    expect(events[0]).toEqual({ type: "text", text: `looking at ${elsewhere}/src/a.js` });
    expect(events.map((event) => event.type)).toEqual(["text", "diff", "stop"]);
    expect(await readFile(join(elsewhere, "src", "a.js"), "utf8")).toBe("right\n");
    expect([...(await readFile(join(elsewhere, "new", "deep", "b.bin")))]).toEqual([0xff, 0x00, 0xfe]);
    expect(await readFile(join(elsewhere, "keep.log"), "utf8")).toBe(`at ${elsewhere}, key ***`);
    expect((await stat(join(elsewhere, "run.sh"))).mode & 0o111).not.toBe(0);
    expect((await readdir(elsewhere)).toSorted()).toEqual([".gitignore", "keep.log", "link", "new", "run.sh", "src"]);
    expect(await readdir(join(elsewhere, "link"))).toEqual(["deep"]);
  });

  test.each([
    [
      "a file that differs",
      (root: string) => writeFile(join(root, "src", "a.js"), "other"),
      "src/a.js is not what it was",
    ],
    ["a file that is gone", (root: string) => rm(join(root, "run.sh")), "run.sh is not there"],
    ["a file that exists already", (root: string) => writeFile(join(root, "keep.log"), "mine"), "keep.log exists"],
  ])("refuses for %s, and changes nothing", async (_name, disturb, why) => {
    await recordOne();
    const elsewhere = await makeProject("elsewhere");
    await disturb(elsewhere);
    const { result, events } = await replayOne({ workspace: elsewhere });
    expect(result).toMatchObject({ outcome: "error", reason: { code: "cassette_mismatch" }, beforeEffect: true });
    expect(result.reason?.text).toContain(why);
    expect(events).toEqual([]);
    expect(await readdir(join(elsewhere, "old"))).toEqual(["gone.js"]);
  });

  test.each([
    [
      "the prompt",
      { prompt: "Mend this.\nAnd that." },
      'the prompt differs in line 2, which was "The test of ⟦workspace⟧ fails." and is "And that."; record it anew with --record, or play it all the same with --loose',
    ],
    ["the options", { options: ["a", "b"] }, 'options was null and is ["a","b"]'],
    ["the tools", { toolScope: ["read"] }, 'tools was null and is ["read"]'],
    ["the pass", { pass: 2 }, "there is no fix.2.jsonl"],
  ])("refuses where %s differs, and says how", async (_name, part, why) => {
    await recordOne();
    const { result } = await replayOne({ workspace: await makeProject("elsewhere"), ...part });
    expect(result).toMatchObject({ outcome: "error", reason: { code: "cassette_mismatch" }, beforeEffect: true });
    expect(result.reason?.text).toContain(why);
  });

  test("plays whatever model was recorded", async () => {
    await recordOne({ model: "openai/a" });
    const { result } = await replayOne({ model: null, workspace: await makeProject("elsewhere") });
    expect(result.outcome).toBe("success");
  });

  test.each([
    ["cut off", (text: string) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1), "has no result"],
    ["torn", (text: string) => text.slice(0, -20), "is no JSON"],
    [
      "with an event there is not",
      (text: string) => text.replace('"type":"text"', '"type":"song"'),
      "line 2: is neither",
    ],
    ["of a later version", (text: string) => text.replace('"cassette":1', '"cassette":2'), "needs a newer Trammel"],
    ["made of something else", () => "[1]\n", "line 1: is no head of a cassette"],
    [
      "leading out of the workspace",
      (text: string) => text.replace('"path":"keep.log"', '"path":"../keep.log"'),
      "../keep.log is not a file of the workspace",
    ],
    [
      "leading through a link",
      (text: string) => text.replace('"path":"keep.log"', '"path":"link/keep.log"'),
      "link/keep.log is not a file of the workspace",
    ],
    [
      "leading into .git",
      (text: string) => text.replace('"path":"keep.log"', '"path":".git/hooks/x"'),
      ".git/hooks/x is not a file of the workspace",
    ],
    [
      "leading through a link that it makes itself",
      forged(
        '{"path":"way","before":null,"after":{"link":"/tmp"}}',
        '{"path":"way/x","before":null,"after":{"text":"y","executable":false}}',
      ),
      "way/x leads through a link of the cassette itself",
    ],
    [
      "writing through a link that it makes itself",
      forged(
        '{"path":"x","before":null,"after":{"link":"/tmp/y"}}',
        '{"path":"./x","before":null,"after":{"text":"y","executable":false}}',
      ),
      "x leads through a link of the cassette itself",
    ],
  ])("refuses a cassette %s", async (_name, spoil, why) => {
    await recordOne();
    const file = join(cassettes, "fix.1.jsonl");
    await writeFile(file, spoil(await readFile(file, "utf8")));
    const elsewhere = await makeProject("elsewhere");
    const { result } = await replayOne({ workspace: elsewhere });
    expect(result).toMatchObject({ outcome: "error", reason: { code: "cassette_mismatch" } });
    expect(result.reason?.text).toContain(why);
    expect(await readFile(join(elsewhere, "src", "a.js"), "utf8")).toBe("wrong\n");
  });

  test("that is loose plays for another prompt, and shows in what it differs", async () => {
    await recordOne();
    const elsewhere = await makeProject("elsewhere");
    const other = request({ workspace: elsewhere, prompt: "Mend that.\nIt fails.", options: ["yes", "no"] });
    const { result, events } = await play(createReplayProvider(cassettes, mask, true), other);
    expect(result.outcome).toBe("success");
    expect(events[0]).toMatchObject({
      type: "text",
      text: expect.stringMatching(
        /^fix\.1\.jsonl does not fit .*line 1.*\n[^]*\n-Mend this\.\n[^]*\n\+Mend that\.\n[^]*\nfix\.1\.jsonl is played all the same, though the prompt differs in line 1.*\n$/,
      ),
    });
    expect(await readFile(join(elsewhere, "src", "a.js"), "utf8")).toBe("right\n");
  });

  test("that is loose makes no change to a file that is another one", async () => {
    await recordOne();
    const elsewhere = await makeProject("elsewhere");
    await writeFile(join(elsewhere, "src", "a.js"), "mine\n");
    const { result } = await play(
      createReplayProvider(cassettes, mask, true),
      request({ workspace: elsewhere, prompt: "Mend that." }),
    );
    expect(result.reason?.code).toBe("cassette_mismatch");
    expect(await readFile(join(elsewhere, "src", "a.js"), "utf8")).toBe("mine\n");
  });

  test("that is stopped changes nothing", async () => {
    await recordOne();
    const elsewhere = await makeProject("elsewhere");
    const { result } = await play(
      createReplayProvider(cassettes, mask),
      request({ workspace: elsewhere }),
      AbortSignal.abort(),
    );
    expect(result.outcome).toBe("cancelled");
    expect(await readFile(join(elsewhere, "src", "a.js"), "utf8")).toBe("wrong\n");
  });
});

/** A cassette with changes that no recording made. */
function forged(...files: readonly string[]): (text: string) => string {
  return (text) => text.replace('{"file":', () => `${files.map((one) => `{"file":${one}}\n`).join("")}{"file":`);
}

test("never writes through a link, whatever was checked before", async () => {
  const workspace = await makeProject("through");
  await symlink(folder, join(workspace, "out"));
  const after = { text: "theirs", executable: false };
  await expect(applyChanges(workspace, [{ path: "out/escaped", before: null, after }])).rejects.toThrow(
    "out/escaped leads through a symbolic link",
  );
  expect(await readdir(folder)).not.toContain("escaped");
});

test("what replay misses is said before the run", () => {
  expect(createReplayProvider(null, mask).missing(null)).toContain("--record DIR");
  expect(createReplayProvider(join(folder, "nowhere"), mask).missing(null)).toContain("does not exist");
  expect(createReplayProvider(folder, mask).missing(null)).toBeNull();
});
