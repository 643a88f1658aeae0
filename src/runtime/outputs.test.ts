import { expect, test } from "vitest";
import type { OutputSpec } from "../model/type-spec.ts";
import { declaredOutputs } from "./outputs.ts";

const from = { source: "{a}", parts: [] };

function outputs(...kinds: readonly ("string" | "json" | "integer")[]): Readonly<Record<string, OutputSpec>> {
  return Object.fromEntries(kinds.map((kind) => [kind, { type: { kind }, from }]));
}

test("an output that does not exist is empty text or null", async () => {
  const missing = await declaredOutputs({ outputs: outputs("string", "json") }, { value: async () => null });
  expect(missing).toEqual({ string: "", json: null });
});

test("an output that exists stays what it is, and no outputs are none", async () => {
  expect(await declaredOutputs({ outputs: outputs("integer") }, { value: async () => 0 })).toEqual({ integer: 0 });
  expect(await declaredOutputs({ outputs: {} }, { value: async () => 0 })).toBeUndefined();
});
