import type { CheckOptions } from "../../src/check/check.ts";
import type { Callee } from "../../src/check/callee.ts";

const greet: Callee = {
  name: "greet",
  inputs: {
    who: { type: { kind: "string" } },
    times: { type: { kind: "integer" }, default: 1 },
    level: { type: { kind: "integer" } },
    tone: { type: { kind: "string" }, default: "kind", enum: ["kind", "plain"] },
  },
  hash: "1".repeat(64),
  outputs: { greeting: { type: { kind: "string" }, from: { source: "{hello}", parts: [] } } },
};

/** What the documents here find around them. */
export const setting = {
  tools: new Set(["cargo_fmt", "read", "write"]),
  pins: new Map(
    ["lib/pinned.yaml", "lib/greet.yaml", "lib/gone.yaml", "lib/changed.yaml"].map((file) => [file, "1".repeat(64)]),
  ),
  calleeOf: (reference) => {
    if (reference === "lib/gone.yaml")
      return { problem: "there is no file lib/gone.yaml", hint: "Write it, or name another." };
    if (reference === "lib/changed.yaml") return { name: "changed", inputs: {}, outputs: {}, hash: "2".repeat(64) };
    return reference === "lib/greet.yaml" ? greet : undefined;
  },
} satisfies CheckOptions;
