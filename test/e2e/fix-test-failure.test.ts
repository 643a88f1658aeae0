import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { Place, root, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const blueprint = join(root, "examples", "fix-test-failure.yaml");

const asText = "  if (a === b) return 0;\n  return a < b ? -1 : 1;\n";
const asNumbers = `  const [left, right] = [a, b].map((release) => release.split(".").map(Number));
  const part = left.findIndex((number, index) => number !== right[index]);
  return part < 0 ? 0 : Math.sign(left[part] - right[part]);\n`;

const mends: Script = [
  { call: [{ tool: "read", input: { path: "versions.js" } }] },
  { call: [{ tool: "edit", input: { path: "versions.js", old_text: asText, new_text: asNumbers } }] },
  { say: "Releases are compared as numbers." },
];

async function runWith(place: Place, vendor: "compatible" | "anthropic", script: Script) {
  const model = await serveModel(script);
  servers.push(model);
  cpSync(join(root, "examples", "demo-project"), place.path("."), { recursive: true });
  place.file(".config/trammel/config.yaml", `agent: {model: ${vendor}/scripted, baseUrl: "${model.url}"}\n`);
  const ran = await trammel(["run", "Make the tests pass", "-b", blueprint, "--plain"], {
    place,
    env: vendor === "anthropic" ? { ANTHROPIC_API_KEY: "key-of-a-test" } : {},
  });
  return { ran, model };
}

describe("the example that fixes a failing test", () => {
  it.each(["compatible", "anthropic"] as const)("reads, edits and passes with a model of %s", async (vendor) => {
    using place = new Place();
    const { ran, model } = await runWith(place, vendor, mends);
    expect(ran.stderr).toMatch(/test failure[^]*fix started \(pass 1 of 3\)[^]*test \(pass 2\) success/);
    expect(ran.stdout).toContain("all tests pass");
    expect(ran.code).toBe(0);
    expect(model.requests).toHaveLength(3);
  });

  it("asks a model that never fixes it three times, escalates and exits with 3", async () => {
    using place = new Place();
    const { ran, model } = await runWith(place, "compatible", [{ say: "I changed nothing." }]);
    expect(model.requests).toHaveLength(3);
    expect(ran.stderr).toContain("fix started (pass 3 of 3)");
    expect(ran.stdout).toMatch(/^BLUEPRINT_ESCALATION\ntask_id: \w+\nnode: fix\niteration: 3\/3\n/m);
    expect(ran.code).toBe(3);
  });
});
