import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { blueprintOf } from "../../../test/support/node-bench.ts";
import type { ScriptNode } from "../../model/node.ts";
import type { RunSecrets } from "../../ports/secrets.ts";
import { createRedactor, type Redactor } from "../redaction/redactor.ts";
import { runSecrets } from "./run-secrets.ts";

const node: ScriptNode = { id: "a", type: "script", run: "true", secrets: ["DEPLOY_KEY", "token"] };
const blueprint = blueprintOf(node, {}, ["token"]);
const stored: Readonly<Record<string, string>> = {
  DEPLOY_KEY: "canary-deploy",
  SHORT: "abc",
  LONG: "c".repeat(65_537),
};

let home: string;
let redactor: Redactor;
let notices: string[];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "trammel-secrets-"));
  notices = [];
});

afterEach(() => rmSync(home, { recursive: true }));

/** As another process would open them. */
function open(): RunSecrets {
  redactor = createRedactor(["canary-known"]);
  return runSecrets({
    redactor,
    folder: path.join(home, "secrets"),
    secret: async (name) => stored[name] ?? null,
    notice: (what) => notices.push(what),
  });
}

test("a sensitive input is used as it is, recorded masked, and masked in output from the start", async () => {
  const given = { task: "with canary-known", inputs: { token: "canary-token", plain: "x canary-known" } };
  expect(await open().guard("r1", blueprint, given)).toEqual({
    given: { task: "with ***", inputs: { token: "canary-token", plain: "x ***" } },
    recorded: { task: "with ***", inputs: { token: "***", plain: "x ***" } },
  });
  expect(redactor.text("canary-token canary-deploy")).toBe("*** ***");
});

test("a run that goes on in another process has it again, and masks it again", async () => {
  const guarded = await open().guard("r1", blueprint, { task: "t", inputs: { token: "canary-token", plain: 1 } });
  const recorded = "recorded" in guarded ? guarded.recorded : { task: "", inputs: {} };
  expect(await open().recall("r1", blueprint, recorded)).toEqual({
    task: "t",
    inputs: { token: "canary-token", plain: 1 },
  });
  expect(redactor.text("canary-token canary-deploy")).toBe("*** ***");
});

test("it is for its owner only, and gone when the run is over", async () => {
  const secrets = open();
  await secrets.guard("r1", blueprint, { task: "", inputs: { token: "canary-token" } });
  const folder = path.join(home, "secrets");
  expect(readdirSync(folder)).toEqual(["r1.json"]);
  expect([statSync(folder).mode & 0o777, statSync(path.join(folder, "r1.json")).mode & 0o777]).toEqual([0o700, 0o600]);
  secrets.forget("r1");
  expect(readdirSync(folder)).toEqual([]);
  expect(await secrets.recall("r1", blueprint, { task: "", inputs: { token: "***" } })).toEqual({
    missing: ["the sensitive input token of run r1 is not kept any more; start the run anew"],
  });
});

test("a run without sensitive inputs leaves nothing", async () => {
  const secrets = open();
  await secrets.guard("r1", blueprintOf({ ...node, secrets: [] }), { task: "", inputs: { plain: 1 } });
  secrets.forget("r1");
  expect(existsSync(path.join(home, "secrets"))).toBe(false);
});

test("a secret that is not set is said before the run, all of them at once", async () => {
  const needy = blueprintOf({ ...node, secrets: ["ONE", "DEPLOY_KEY", "TWO"] });
  expect(await open().guard("r1", needy, { task: "", inputs: {} })).toEqual({
    missing: [
      "the secret ONE is not set; give it with trammel secret set ONE, or in the environment",
      "the secret TWO is not set; give it with trammel secret set TWO, or in the environment",
    ],
  });
});

test("one too short to be masked is said", async () => {
  await open().guard("r1", blueprintOf({ ...node, secrets: ["SHORT"] }), { task: "", inputs: {} });
  expect(notices).toEqual(["SHORT has fewer than 4 characters: it is not masked in output"]);
});

test("what a sensitive list or map holds is masked by itself, in another process too", async () => {
  const token = { user: "canary-user", pins: [123456, true, null, ""], deep: { key: "canary-deep" } };
  const guarded = await open().guard("r1", blueprint, { task: "", inputs: { token } });
  const said = "canary-user 123456 true canary-deep";
  expect(redactor.text(said)).toBe("*** *** true ***");
  await open().recall("r1", blueprint, "recorded" in guarded ? guarded.recorded : { task: "", inputs: {} });
  expect([redactor.text(said), notices]).toEqual(["*** *** true ***", []]);
});

test("a sensitive map that holds something short is told, and one that holds very much is refused", async () => {
  await open().guard("r1", blueprint, { task: "", inputs: { token: ["abc", "canary-long"] } });
  expect(notices).toEqual(["token holds a value of fewer than 4 characters: that is not masked in output"]);
  const token = Array.from({ length: 257 }, (_, n) => `canary-${n}`);
  expect(await open().guard("r2", blueprint, { task: "", inputs: { token } })).toEqual({
    missing: ["the sensitive input token holds more than 256 values; put them into a file, and name the file"],
  });
});

test("a secret of which only the beginning could be masked is refused, wherever it comes from", async () => {
  const long = "c".repeat(64 * 1024 + 1);
  const why =
    "is a secret of more than 65536 characters, which is too long to be masked; put it into a file, and name the file";
  for (const token of [long, { deep: [long] }])
    expect(await open().guard("r1", blueprint, { task: "", inputs: { token } })).toEqual({ missing: [`token ${why}`] });
  const named = blueprintOf({ ...node, secrets: ["LONG"] });
  expect(await open().guard("r1", named, { task: "", inputs: {} })).toEqual({ missing: [`LONG ${why}`] });
  expect(redactor.text("canary-known")).toBe("***");
  const token = long.slice(1);
  expect(await open().guard("r1", blueprint, { task: "", inputs: { token } })).not.toHaveProperty("missing");
  expect(redactor.text(token)).toBe("***");
});
