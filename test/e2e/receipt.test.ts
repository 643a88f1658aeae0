import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sealOf, textOf } from "../../src/cli/receipt/text.ts";
import { receiptShape } from "../../src/wire/receipt.ts";
import { runEndShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

const blueprint = `name: telling
entry: tell
nodes:
  tell:
    type: script
    secrets: [SERVICE_PASSWORD]
    run: echo "$SERVICE_PASSWORD"; exit 3
    next: {failure: told}
  told: {type: script, run: echo told}
`;

it("prints a receipt without secrets that verifies without the store, and names what was changed in it", async () => {
  using place = new Place();
  place.file("b.yaml", blueprint);
  const env = { SERVICE_PASSWORD: "swordfish-77" };
  const { run } = runEndShape.parse(lastLine(await trammel(["run", "t", "-b", "b.yaml", "--json"], { place, env })));
  const printed = await trammel(["receipt", run], { place });
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).not.toContain("swordfish");
  const receipt = receiptShape.parse(JSON.parse(printed.stdout));
  expect(receipt).toMatchObject({
    run,
    status: "succeeded",
    effects: [
      { node: "tell", type: "script", outcome: "failure", exit: 3 },
      { node: "told", command: "echo told", outcome: "success", exit: 0 },
    ],
  });
  const written = await trammel(["receipt", run, "--out", "r.json"], { place });
  expect(written).toMatchObject({ code: 0, stdout: "" });
  expect(place.read("r.json")).toBe(printed.stdout);
  expect((await trammel(["receipt", run, "--out", "r.json"], { place })).code).toBe(2);

  rmSync(place.home, { recursive: true });
  const fits = await trammel(["verify", "r.json"], { place });
  const { head, records } = receipt.journal;
  const line = `${run} succeeded: ${records.length} records up to event ${head.seq} fit, head ${head.hash}\n`;
  expect(fits).toMatchObject({ code: 0, stdout: line, stderr: "" });

  writeFileSync(place.path("r.json"), printed.stdout.replace(String.raw`\"exit\":3`, String.raw`\"exit\":0`));
  const changed = await trammel(["verify", "r.json"], { place });
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(/^r\.json: journal\.records\[\d+\]: it is not what was recorded/);
  expect((await trammel(["verify", "none.json"], { place })).code).toBe(2);
});

it("verifies the receipt of a run that calls another blueprint", async () => {
  using place = new Place();
  place.file("inner.yaml", "name: inner\nentry: say\nnodes:\n  say: {type: script, run: echo inner}\n");
  place.file("b.yaml", "name: outer\nentry: ask\nnodes:\n  ask: {type: call, blueprint: ./inner.yaml}\n");
  const done = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
  const { run, status } = runEndShape.parse(lastLine(done));
  expect(status).toBe("succeeded");
  await trammel(["receipt", run, "--out", "r.json"], { place });
  expect(await trammel(["verify", "r.json"], { place })).toMatchObject({ code: 0, stderr: "" });
});

it("holds the runs inside and what was answered in them, under their path, and verify tells where it is another", async () => {
  using place = new Place();
  place.file(
    "inner.yaml",
    `name: inner
nodes:
  quiet: {type: call, blueprint: ./quiet.yaml}
  list: {type: script, run: 'echo "[1, 2]"', output: json}
  each:
    type: map
    over: "{list}"
    parallel: 1
    do: {entry: ok, nodes: {ok: {type: human, mode: approval, prompt: "Ship it?"}}}
edges: [{from: quiet, when: success, to: list}, {from: list, when: success, to: each}]
`,
  );
  place.file("quiet.yaml", "name: quiet\nentry: say\nnodes:\n  say: {type: script, run: echo quiet}\n");
  place.file("b.yaml", "name: outer\nentry: sub\nnodes:\n  sub: {type: call, blueprint: ./inner.yaml}\n");
  const { run } = runEndShape.parse(
    lastLine(await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place })),
  );
  expect((await trammel(["answer", run, "sub/each[0]/ok", "yes"], { place })).code).toBe(5);
  expect((await trammel(["answer", run, "sub/each[1]/ok", "yes"], { place })).code).toBe(0);
  const { stdout } = await trammel(["receipt", run], { place });
  const receipt = receiptShape.parse(JSON.parse(stdout));
  const { inside = [] } = receipt;
  expect(inside.map(({ path, approvals }) => [path, approvals.map(({ node, answer }) => [node, answer])])).toEqual([
    ["sub", []],
    ["sub/quiet", []],
    ["sub/each[0]", [["ok", true]]],
    ["sub/each[1]", [["ok", true]]],
  ]);
  const verified = async (change: (runs: typeof inside) => typeof inside): Promise<string> => {
    const { seal: _, ...fields } = { ...receipt, inside: change(inside) };
    place.file("r.json", textOf({ ...fields, seal: sealOf(fields) }));
    const { code, stdout: said } = await trammel(["verify", "r.json"], { place });
    return `${code} ${said.split(": ").slice(1, 2).join("").trim()}`;
  };
  expect(await verified((runs) => runs)).toMatch(/^0 /);
  expect(await verified((runs) => runs.slice(1))).toBe("1 inside[0].run");
  expect(await verified((runs) => runs.slice(0, -1))).toBe("1 inside[0].journal");
  expect(await verified((runs) => runs.map((one) => ({ ...one, approvals: [] })))).toBe("1 inside[2].approvals");
  expect(await verified((runs) => runs.map((one) => ({ ...one, path: "sub" })))).toBe("1 inside[1].path");
  expect(await verified((runs) => runs.map((one) => ({ ...one, run })))).toBe("1 inside[0].journal.records[0]");
});
