import { afterEach, beforeEach, expect, it } from "vitest";
import type { EventBody } from "../../model/events.ts";
import { ended, finished, newRun, started, StoreFixture } from "../../hosts/embedded/testing.ts";
import type { RunRow } from "../../ports/journal.ts";
import { canonical } from "../../language/canonical.ts";
import { check, type CheckOptions } from "../../check/check.ts";
import { receiptShape } from "../../wire/receipt.ts";
import { makeReceipt } from "./make.ts";
import { sealOf, sha256, textOf } from "./text.ts";
import { verifyReceipt } from "./verify.ts";

const document = `name: mending
entry: fix
nodes:
  fix: {type: agent, prompt: mend it, next: ask}
  ask: {type: human, prompt: "Ship it?", next: ship}
  ship: {type: script, run: echo shipped}
`;

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

const child = { pid: 7, startTime: "70", bootId: "boot" };
const usage = { inputTokens: 10, outputTokens: 2, turns: 1, cost: 0.25 };
const digest = sha256("what was shown");

function story(contentHash: string): readonly (readonly EventBody[])[] {
  const at = (node: string) => ({ node, pass: 1, attempt: 1 });
  const start = {
    taskId: "T1",
    task: "mänd \u009b\u202eit",
    blueprint: "mending",
    inputs: {},
    cwd: "/work",
    owner: child,
  };
  const agent = { provider: "ai", model: "anthropic/x" };
  return [
    [{ type: "run.started", ...start, contentHash, bindingHash: sha256("binding") }, started("fix", 1)],
    [{ type: "node.ended", ...at("fix"), result: { outcome: "success", usage, agent } }, started("ask")],
    [{ type: "gate.opened", ...at("ask"), mode: "approval", prompt: "Ship it?", digest }],
    [{ type: "gate.answered", ...at("ask"), by: "ada", digest, answer: { "10": true, "2": null } }],
    [ended("ask"), started("ship")],
    [{ type: "node.process", ...at("ship"), process: child }],
    [{ type: "node.ended", ...at("ship"), result: { outcome: "success", exit: 0 } }, finished()],
  ];
}

async function made(text = document, options: CheckOptions = {}, tell = story): Promise<string> {
  const { blueprint } = check(text, options);
  if (blueprint === null) throw new Error("the document does not check");
  const content = sha256(canonical(blueprint));
  const journal = store.open();
  const [first = [], ...rest] = tell(content);
  await journal.create(newRun("r1", { definition: content }), text, first, 1_000);
  for (const [i, events] of rest.entries()) await journal.append("r1", events, 2_000 + i);
  const row: RunRow | null = journal.find("r1");
  const receipt = row === null ? null : await makeReceipt(journal, row, () => true);
  if (receipt === null) throw new Error("no receipt was made");
  return receipt;
}

const verify = (text: string) => verifyReceipt(Buffer.from(text));

it("says what a run did, used and was allowed, in the documented shape", async () => {
  const receipt = receiptShape.parse(JSON.parse(await made()));
  expect(receipt).toMatchObject({
    run: "r1",
    status: "succeeded",
    endedAt: "1970-01-01T00:00:02.005Z",
    caps: [{ node: "fix", passes: 1, cap: 3 }],
    agents: [{ node: "fix", provider: "ai", model: "anthropic/x", attempts: 1, inputTokens: 10, cost: 0.25 }],
    usage: { inputTokens: 10, outputTokens: 2, turns: 1, cost: 0.25 },
    approvals: [{ node: "ask", by: "ada", shown: digest, digest, at: "1970-01-01T00:00:02.002Z" }],
    effects: [{ node: "ship", type: "script", command: "echo shipped", outcome: "success", exit: 0, processes: 1 }],
    definition: { text: document, sha256: sha256(document) },
  });
  expect(receipt.journal.records).toHaveLength(7);
  expect(receipt.journal.head).toEqual({ seq: 11, hash: receipt.journal.records.at(-1)?.hash });
});

it("counts what an agent had reported whose engine died", async () => {
  const fix = { node: "fix", pass: 1, attempt: 1 };
  const text = await made(document, {}, (contentHash) => [
    ...story(contentHash).slice(0, 1),
    [{ type: "agent.progressed", ...fix, event: { type: "usage", usage } }],
    [{ type: "node.unconfirmed", ...fix, reason: { code: "crash", text: "…" } }],
  ]);
  expect(receiptShape.parse(JSON.parse(text)).usage).toMatchObject({ inputTokens: 10, outputTokens: 2, cost: 0.25 });
  expect(await verify(text)).toMatchObject({ notes: [] });
});

it("counts an attempt once that waited for a retry when the run halted", async () => {
  const result = { outcome: "error", usage, agent: { provider: "ai", model: "anthropic/x" } } as const;
  const fix = { node: "fix", pass: 1, attempt: 1, result };
  const text = await made(document, {}, (contentHash) => [
    ...story(contentHash).slice(0, 1),
    [{ type: "node.retrying", ...fix, delayMs: 60_000 }],
    [{ type: "run.stop_requested", by: "ada" }, { type: "node.ended", ...fix }, finished()],
  ]);
  expect(receiptShape.parse(JSON.parse(text))).toMatchObject({
    usage: { inputTokens: 10, cost: 0.25 },
    agents: [{ node: "fix", attempts: 1, inputTokens: 10, cost: 0.25 }],
  });
});

it("verifies what was made, without its store", async () => {
  const text = await made();
  expect(text).not.toMatch(/[\u007f-\u009f\u202e]/);
  await store.remove();
  expect(await verify(text)).toMatchObject({ receipt: { run: "r1" }, notes: [] });
});

it("finds each byte that is flipped, wherever it stands", async () => {
  const bytes = Buffer.from(await made());
  const unseen: string[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const found = await verifyReceipt(flipped);
    if (!("place" in found)) unseen.push(`${at}: ${bytes.toString("utf8", at - 20, at + 20)}`);
  }
  expect(unseen).toEqual([]);
});

it("finds a change that was sealed anew, by what the records say", async () => {
  const receipt = receiptShape.parse(JSON.parse(await made()));
  const [first, ...rest] = receipt.journal.records;
  const forge = async (change: object) => {
    const { seal: _, ...fields } = { ...receipt, ...change };
    const found = await verify(textOf({ ...fields, seal: sealOf(fields) }));
    return "place" in found ? found.place : null;
  };
  expect(await forge({ approvals: [] })).toBe("approvals");
  expect(await forge({ usage: { ...receipt.usage, cost: 0 } })).toBe("usage");
  expect(await forge({ caps: [{ node: "fix", passes: 1, cap: 9 }] })).toBe("caps");
  expect(await forge({ content: sha256("another") })).toBe("content");
  expect(await forge({ definition: { sha256: sha256(""), text: document } })).toBe("definition");
  expect(await forge({ definition: { sha256: sha256("name: x"), text: "name: x" } })).toBe("effects");
  expect(await forge({ journal: { ...receipt.journal, records: rest } })).toBe("journal.records[0]");
  expect(await forge({ journal: { ...receipt.journal, records: [first] } })).toBe("journal.head");
  expect(await forge({ run: "r2" })).toBe("journal.records[0]");
  expect(await forge({})).toBe(null);
});

it("knows a text that is no receipt", async () => {
  expect(await verify("{")).toMatchObject({ place: "file" });
  expect(await verify("{}")).toMatchObject({ place: "format" });
  const text = await made();
  expect(await verify(`\ufeff${text}`)).toMatchObject({ place: "file" });
  expect(await verify(text.trimEnd())).toMatchObject({ place: "file" });
});

it.each(["deterministic", "agentic"] as const)(
  "verifies a run with nodes of a plug-in that is %s, without it",
  async (kind) => {
    const fields = { file: { type: { kind: "string" }, description: "", required: true } } as const;
    const plugin = { type: "notes", class: kind, fields };
    const text = await made(document.replace("{type: script, run: echo shipped}", "{type: notes, file: a.md}"), {
      plugins: [plugin],
    });
    const found = await verify(text);
    expect(found).toMatchObject({
      receipt: { effects: [{ node: "ship", type: "plugin" }] },
      notes: ["plug-ins carried out notes: what one did in Trammel's own process is not among the effects"],
    });
    const { definition, seal: _, ...rest } = receiptShape.parse(JSON.parse(text));
    const other = (definition?.text ?? "").replace("a.md", "b.md");
    const forged = { ...rest, definition: { sha256: sha256(other), text: other } };
    expect(await verify(textOf({ ...forged, seal: sealOf(forged) }))).toMatchObject({ place: "content" });
  },
);
