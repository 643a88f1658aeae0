import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Json } from "../model/json.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { Reference, Template, TemplatePart } from "../model/template.ts";
import type { BlobStore } from "../ports/blobs.ts";
import { RunValues } from "./values.ts";

class MemoryBlobs implements BlobStore {
  readonly kept = new Map<string, Uint8Array>();
  put(bytes: Uint8Array): Promise<string> {
    const name = createHash("sha256").update(bytes).digest("hex");
    this.kept.set(name, bytes);
    return Promise.resolve(name);
  }
  writer(): never {
    throw new Error("not used here");
  }
  get(hash: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.kept.get(hash) ?? null);
  }
  keep(hash: string): Promise<boolean> {
    return Promise.resolve(this.kept.has(hash));
  }
  pathOf(hash: string): string {
    return `/blobs/${hash}`;
  }
}

/** `a {x.y} b` with the reference forms of the language, so that a test reads as a document does. */
function template(source: string): Template {
  const parts = source.split(/(\{[^{}]+\})/).filter((part) => part !== "");
  return { source, parts: parts.map(part) };
}

function part(text: string): TemplatePart {
  if (!text.startsWith("{")) return { text };
  const [head = "", ...path] = text.slice(1, -1).split(".");
  const position = { start: 0, end: 0 };
  if (head === "task" || head === "item" || head === "index")
    return { ref: { source: head, name: "", path, ...position } };
  const ref: Reference =
    head === "inputs"
      ? { source: "inputs", name: path[0] ?? "", path: path.slice(1), ...position }
      : { source: "node", name: head, path, ...position };
  return { ref };
}

function said(text: string): CapturedText {
  return { text, bytes: Buffer.byteLength(text) };
}

const blobs = new MemoryBlobs();

function valuesOf(results: Record<string, Omit<NodeResult, "outcome">>, inputs: Record<string, Json> = {}): RunValues {
  const entries = Object.entries(results).map(
    ([node, result]) => [node, { outcome: "failure", ...result } as const] as const,
  );
  return new RunValues({ task: "fix {x}", inputs, results: new Map(entries) }, blobs);
}

describe("a reference", () => {
  const values = valuesOf(
    {
      x: { output: said("out\nerr\n"), stdout: said("out\n"), stderr: said("err\n"), exit: 3 },
      quiet: { output: said("all of it"), stderr: said("") },
      loud: { output: said("only errors"), stdout: said("") },
      agent: { output: said("done"), ports: { why: "tests pass", list: [{ id: 7 }] } },
      parsed: { output: said('warning\n{"a": {"b": [1, "two"]}}'), value: { a: { b: [1, "two"] } } },
      choice: { option: "approve" },
    },
    { depth: 3, who: { name: "Ada" }, flag: false },
  );

  test.each([
    ["{task}", "fix {x}"],
    ["{inputs.depth} {inputs.who.name} {inputs.who} {inputs.flag}", '3 Ada {"name":"Ada"} false'],
    ["{x}", "out\nerr\n"],
    ["{x.stdout}|{x.stderr}|{x.exit}", "out\n|err\n|3"],
    ["{quiet.stdout}|{quiet.stderr}", "all of it|"],
    ["{loud.stdout}|{loud.stderr}", "|only errors"],
    ["{agent}: {agent.why}, {agent.list.0.id}", "done: tests pass, 7"],
    ["{agent.stderr}", ""],
    ["{parsed.a.b.1} of {parsed}", 'two of warning\n{"a": {"b": [1, "two"]}}'],
    ["{choice}", "approve"],
    ["<{later}{x.nope}{parsed.a.b.9.c}{inputs.gone}{item}>", "<>"],
    ["{agent.constructor}{inputs.__proto__}{agent.list.length}", ""],
    ["no reference", "no reference"],
  ])("%s", async (source, text) => {
    expect(await values.whole(template(source))).toBe(text);
    expect(await values.text(template(source), 1_000)).toBe(text);
  });

  test.each([
    ["{inputs.depth}", 3],
    ["{parsed}", { a: { b: [1, "two"] } }],
    ["{parsed.a.b}", [1, "two"]],
    ["{x.exit}", 3],
    ["{x}", "out\nerr\n"],
    ["{later}", null],
    [" {inputs.depth}", " 3"],
  ])("%s alone keeps the type of its value", async (source, value) => {
    expect(await values.value(template(source))).toEqual(value);
  });
});

describe("a large value", () => {
  const long = `${"x".repeat(50_000)}é${"y".repeat(99)}`;

  test("is whole from the blob store although its record holds the tail", async () => {
    const blob = await blobs.put(Buffer.from(long));
    const values = valuesOf({ x: { output: { text: "tail", bytes: long.length, blob } } });
    expect(await values.whole(template("[{x}]"))).toBe(`[${long}]`);
  });

  test("is cut to its last bytes, at a character, with a mark and the path of the full text", async () => {
    const blob = await blobs.put(Buffer.from(long));
    const values = valuesOf({ x: { output: { text: "tail", bytes: long.length, blob } } });
    expect(await values.text(template("{x}"), 100)).toBe(
      `[the first 50002 bytes are left out; the full text is in /blobs/${blob}]\n${"y".repeat(99)}`,
    );
  });

  test("that is in no blob yet is put there when it is cut", async () => {
    const values = new RunValues({ task: long, inputs: {}, results: new Map() }, blobs);
    const text = await values.text(template("{task}"), 1_000);
    const [, path = ""] = /full text is in \/blobs\/(\w+)\]/.exec(text) ?? [];
    expect(Buffer.from(blobs.kept.get(path) ?? []).toString()).toBe(long);
  });
});
