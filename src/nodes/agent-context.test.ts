import { hash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentWorld, done, type World } from "../../test/fixtures/agent-node.ts";
import type { ProcessRunner } from "../ports/processes.ts";
import type { AgentProvider, AgentRequest } from "../ports/provider.ts";
import { captureText } from "../runtime/attempts/capture.ts";
import { fileBlobs } from "../runtime/blobs/files.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-agent-node-"));
});

afterAll(() => rm(folder, { recursive: true }));

const sha256 = (text: string): string => hash("sha256", text, "hex");

const world = (part: World) => agentWorld(folder, part);

/** The request the provider was given. */
async function requested(part: World): Promise<AgentRequest> {
  const seen: AgentRequest[] = [];
  const provider = { run: (request: AgentRequest) => Promise.resolve(done).finally(() => seen.push(request)) };
  const { performer, context } = world({ ...part, provider });
  await performer.perform(context);
  const [request] = seen;
  if (request === undefined) throw new Error("the provider was not asked");
  return request;
}

describe("what it is given", () => {
  const include = ["docs/*.md", "a.bin", "$ echo said; exit 3", "docs/1.md"];
  const run: ProcessRunner["run"] = ({ argv }) => {
    const output = { text: `ran ${argv.join(" ")}, canary-7f3\n`, bytes: 0 };
    return Promise.resolve({ end: { kind: "exit", code: 3 }, output, stdout: output, stderr: output, survivors: [] });
  };

  test("follows the prompt: files by path, each once, and what commands say, without secrets", async () => {
    await mkdir(join(folder, "docs"), { recursive: true });
    await writeFile(join(folder, "docs", "2.md"), "two canary-7f3\n");
    await writeFile(join(folder, "docs", "1.md"), "one\n");
    await writeFile(join(folder, "a.bin"), Buffer.from([0xff, 0x00]));
    const { prompt: text } = await requested({ node: { context: { include } }, run });
    expect(text).toBe(
      "Mend the parser\n\nFor this you are given:\n\n" +
        "--- docs/1.md\none\n\n--- docs/2.md\ntwo ***\n\n--- a.bin\n(2 bytes, no text)\n\n" +
        "--- $ echo said; exit 3 (exit 3)\nran sh -c echo said; exit 3, ***\n",
    );
  });

  test("is what the folder holds, not what its links lead to", async () => {
    await mkdir(join(folder, "links"), { recursive: true });
    await writeFile(join(folder, "own.md"), "ours\n");
    const leads = {
      "1-own.md": "../own.md",
      "2-theirs.md": "/etc/hostname",
      "3-endless.md": "/dev/zero",
      "4-none.md": "x",
    };
    for (const [name, target] of Object.entries(leads)) await symlink(target, join(folder, "links", name));
    const { prompt: text } = await requested({ node: { context: { include: ["links/*.md"] } } });
    const out = "(a link that leads out of the folder)\n";
    expect(text).toContain(
      `--- links/1-own.md\nours\n\n--- links/2-theirs.md\n${out}\n--- links/3-endless.md\n${out}\n--- links/4-none.md\n${out}`,
    );
  });

  test.each([
    { bytes: 20_000, shown: /^1\n2\n[^…]*\n20000\n$/ },
    { bytes: 200_000, shown: /^1\n2\n[^…]*\n… \d+ bytes left out …\n[^…]*\n20000\n$/ },
  ])("is the beginning, too, of a command that says $bytes bytes", async ({ bytes, shown }) => {
    const all = `1\n2\n${"x".repeat(bytes)}\n20000\n`;
    const said = await captureText(all, fileBlobs(join(folder, "blobs")));
    const long: ProcessRunner["run"] = () =>
      Promise.resolve({ end: { kind: "exit", code: 0 }, output: said, stdout: said, stderr: said, survivors: [] });
    const { prompt: text } = await requested({ node: { context: { include: ["$ seq"] } }, run: long });
    expect(text.slice(text.indexOf("--- $ seq\n") + "--- $ seq\n".length)).toMatch(shown);
  });

  test("names links without fetching them", async () => {
    const { prompt: text } = await requested({ node: { context: { include: ["https://x.test/1"] } } });
    expect(text).toContain("--- https://x.test/1\n(a link; it was not fetched)\n");
  });

  test("is kept by its content, and a retry of the pass is given the same though the files have changed", async () => {
    await mkdir(join(folder, "kept"), { recursive: true });
    await writeFile(join(folder, "kept", "a.md"), "as it was\n");
    const part = { node: { context: { include: ["kept/*.md"] } } };
    const prompts: string[] = [];
    const run: AgentProvider["run"] = (request) => Promise.resolve(done).finally(() => prompts.push(request.prompt));
    const first = world({ ...part, provider: { run } });
    await first.performer.perform(first.context);
    const [given, kept] = first.reported.flatMap((one) => (one.kind === "agent" ? [one.event] : []));
    expect(given).toMatchObject({ type: "read", path: "kept/a.md", how: "given", digest: sha256("as it was\n") });
    if (kept?.type !== "context") throw new Error("no bundle was told of");
    expect(Buffer.from((await first.blobs.get(kept.bundle)) ?? "").toString()).toBe("--- kept/a.md\nas it was\n");
    await writeFile(join(folder, "kept", "a.md"), "changed\n");
    const again = world({ ...part, provider: { run } });
    await again.performer.perform({ ...again.context, bundle: kept.bundle });
    expect(prompts[1]).toBe(prompts[0]);
    expect(again.reported).toEqual([{ kind: "agent", event: kept }]);
  });

  test("is there, or the node does not start", async () => {
    const { performer, context } = world({ node: { context: { include: ["nowhere/*.md"] } } });
    expect(await performer.perform(context)).toMatchObject({
      outcome: "error",
      reason: { code: "could_not_start", text: "context.include: nowhere/*.md names no file" },
      beforeEffect: true,
    });
  });
});

describe("what it reads outside of its context", () => {
  const run: AgentProvider["run"] = async ({ reads }) => {
    for (const path of ["in/a.md", "out.md", "/etc/hostname", "in", "gone.md"]) reads?.claimed(path);
    return done;
  };

  test("is told, and is the port drift of the node", async () => {
    await mkdir(join(folder, "in"), { recursive: true });
    for (const path of ["in/a.md", "out.md"]) await writeFile(join(folder, path), path);
    const { performer, context, reported } = world({ node: { context: { read: ["in/**"] } }, provider: { run } });
    const outside = await realpath("/etc/hostname");
    expect((await performer.perform(context)).ports).toEqual({ drift: `${outside}\nout.md\n` });
    expect(reported.flatMap((one) => (one.kind === "agent" && one.event.type === "read" ? [one.event] : []))).toEqual(
      expect.arrayContaining([
        { type: "read", path: "in/a.md", digest: sha256("in/a.md"), how: "read" },
        { type: "read", path: "out.md", digest: sha256("out.md"), how: "outside" },
      ]),
    );
  });

  test("is nothing where nothing limits it", async () => {
    const { performer, context } = world({ provider: { run } });
    expect((await performer.perform(context)).ports).toBeUndefined();
  });
});

test("each part of a context comes from the nearest level that has it", async () => {
  await mkdir(join(folder, "levels"), { recursive: true });
  for (const name of ["node", "document", "configured"]) await writeFile(join(folder, "levels", name), `${name}\n`);
  const context = (name: string) => ({ context: { include: [`levels/${name}`] } });
  const part = { configured: context("configured"), document: context("document") };
  expect((await requested(part)).prompt).toContain("--- levels/document");
  const { prompt: text, reads } = await requested({ ...part, node: { context: { read: ["levels/node"] } } });
  expect(text).toContain("--- levels/document");
  expect([...((await reads?.among(["levels/node", "levels/document"])) ?? [])]).toEqual(["levels/node"]);
});
