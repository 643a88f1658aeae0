import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import { listenersOf } from "./listeners.ts";
import type { Prepared } from "./prepare.ts";
import type { World } from "../world.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-listeners-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parent: ParentLink = { run: "r", node: "sub", pass: 1, blueprint: "b", path: "sub/" };
const opened: JournalEvent = {
  run: "inner",
  seq: 1,
  at: 0,
  hash: "",
  body: { type: "gate.opened", node: "ask", pass: 1, attempt: 1, mode: "approval", prompt: "Ship it?", digest: "d" },
};

test.each([
  ["without a collector of traces", {}],
  ["with one", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }],
])("somebody is told of what a run inside asks, %s", async (_name, env) => {
  const failures: string[] = [];
  const world = { env: { PATH: process.env["PATH"], ...env }, err: { write: (text: string) => failures.push(text) } };
  const prepared = { config: { notify: { command: "cat > told" } }, blueprint: { name: "b" } };
  // Nothing else of them is used.
  const listeners = await listenersOf(world as unknown as World, prepared as unknown as Prepared, folder);
  listeners.inside?.(parent).event(opened);
  await listeners.sent();
  expect(failures).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, "told"), "utf8"))).toMatchObject({ node: "sub/ask", text: "Ship it?" });
});

test("somebody is told of what is asked in a later pass, where another process went on with an answer of before", async () => {
  const failures: string[] = [];
  const world = { env: { PATH: process.env["PATH"] }, err: { write: (text: string) => failures.push(text) } };
  const prepared = { config: { notify: { command: "cat >> told" } }, blueprint: { name: "b" } };
  // Nothing else of them is used.
  const listeners = await listenersOf(world as unknown as World, prepared as unknown as Prepared, folder);
  const at = { node: "ask", pass: 1, attempt: 1 } as const;
  const bodies: readonly JournalEvent["body"][] = [
    { type: "node.unconfirmed", ...at, reason: { code: "taken_up", text: "it was still waiting" } },
    { type: "node.ended", ...at, attempt: 2, result: { outcome: "success" } },
  ];
  for (const body of bodies) listeners.event({ ...opened, body });
  listeners.event(opened);
  await listeners.sent();
  expect(failures).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, "told"), "utf8"))).toMatchObject({ node: "ask", text: "Ship it?" });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }],
  [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http//a", OTEL_EXPORTER_OTLP_ENDPOINT: "http://a" },
  ],
  [null, { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense", OTEL_SDK_DISABLED: "true" }],
  [null, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: " https://a/v1 ", OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }],
])("an address of traces that is none is said once, by its variable (%s, %j)", async (name, env) => {
  const said: string[] = [];
  const world = { env, err: { write: (text: string) => said.push(text) } };
  const prepared = { config: {}, blueprint: { name: "b" } };
  // Nothing else of them is used.
  const listeners = await listenersOf(world as unknown as World, prepared as unknown as Prepared, folder);
  await listeners.sent();
  expect(said.map((text) => text.split(" is no http address")[0] ?? "")).toEqual(name === null ? [] : [name]);
});
