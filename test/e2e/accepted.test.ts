import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { receiptShape } from "../../src/wire/receipt.ts";
import { Place, trammel } from "./support/cli.ts";

/** Kills its engine in each of its first two passes of `build`. */
const first = `name: deploy
entry: build
nodes:
  build: {type: script, idempotent: true, run: "echo x >> tries; [ $(wc -l < tries) -gt 2 ] || kill -9 $PPID", next: ship}
  ship: {type: script, run: echo shipped}
`;
const second = `name: deploy
entry: build
nodes:
  build: {type: script, idempotent: true, run: "echo x >> tries; [ $(wc -l < tries) -gt 2 ] || kill -9 $PPID", next: verify}
  verify: {type: script, run: echo verified, next: ship}
  ship: {type: script, run: echo shipped twice}
`;

/** A run that started with one definition, went on with another, and was killed again. */
async function killedTwice(place: Place): Promise<string> {
  place.file("b.yaml", first);
  await trammel(["run", "-b", "b.yaml"], { place });
  const listed = await trammel(["runs", "--json"], { place });
  const run = (JSON.parse(listed.stdout) as { runs: { run: string }[] }).runs[0]?.run ?? "";
  place.file("b.yaml", second);
  expect((await trammel(["resume", run], { place })).code).toBe(2);
  await trammel(["resume", run, "--accept-changes"], { place });
  return run;
}

it("goes on with what was accepted though its file is gone, and tells what ran", async () => {
  using place = new Place();
  const run = await killedTwice(place);
  rmSync(place.path("b.yaml"));
  const resumed = await trammel(["resume", run], { place });
  expect([resumed.code, resumed.stdout]).toEqual([0, "shipped twice\n"]);
  const shown = await trammel(["show", run], { place });
  expect(shown.stdout).toContain("✓ verify (script)");
  const replayed = await trammel(["replay", run], { place });
  expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringMatching(/events recomputed, the same\n$/)]);
  expect((await trammel(["receipt", run, "--out", "receipt.json"], { place })).code).toBe(0);
  const receipt = receiptShape.parse(JSON.parse(place.read("receipt.json")));
  expect([receipt.definition?.text, receipt.acceptedDefinitions?.map((one) => one?.text)]).toEqual([first, [second]]);
  expect(receipt.effects.at(-1)).toMatchObject({ node: "ship", command: "echo shipped twice" });
  expect((await trammel(["verify", "receipt.json"], { place })).code).toBe(0);
  place.file("forged.json", place.read("receipt.json").replace("echo verified", "echo verifies"));
  expect((await trammel(["verify", "forged.json"], { place })).code).toBe(1);
});

it("a definition that is not what was written is not trusted", async () => {
  using place = new Place();
  place.file("b.yaml", second.replace("kill -9 $PPID", "true"));
  await trammel(["run", "-b", "b.yaml"], { place });
  const listed = await trammel(["runs", "--json"], { place });
  const run = (JSON.parse(listed.stdout) as { runs: { run: string }[] }).runs[0]?.run ?? "";
  const db = new DatabaseSync(join(place.home, "trammel.db"));
  db.exec("UPDATE definitions SET document = replace(document, 'twice', 'thrice')");
  db.close();
  for (const command of ["show", "replay", "receipt", "rerun"]) {
    const { code, stderr } = await trammel([command, run], { place });
    expect({ command, code, stderr }).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("is not what was written"),
    });
  }
});
