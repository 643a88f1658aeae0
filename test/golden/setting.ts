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
  outputs: { greeting: { type: { kind: "string" }, from: { source: "{hello}", parts: [] } } },
};

/** What the documents here find around them. */
export const setting = {
  tools: new Set(["cargo_fmt", "read", "write"]),
  pins: new Set(["lib/pinned.yaml", "lib/greet.yaml", "lib/gone.yaml"]),
  calleeOf: (reference) => {
    if (reference === "lib/gone.yaml") return { problem: "there is no file lib/gone.yaml", hint: "Write it, or name another." };
    return reference === "lib/greet.yaml" ? greet : undefined;
  },
} satisfies CheckOptions;
