import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeBench } from "../../test/support/node-bench.ts";
import type { OutputFormat } from "../model/blueprint.ts";
import type { NodeResult } from "../model/outcome.ts";
import { pluginPerformer } from "./plugins.ts";

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

afterEach(() => bench.close());

const oneOf: OutputFormat = {
  as: "schema",
  schema: { type: "object", properties: { x: { enum: ["a", "b"] } }, required: ["x"] },
};

function performed(result: NodeResult, output?: OutputFormat): Promise<NodeResult> {
  const type = {
    type: "say",
    class: "deterministic",
    fields: {},
    perform: () => Promise.resolve(result),
  } as const;
  const node = {
    id: "a",
    type: "plugin",
    plugin: "say",
    fields: {},
    ...(output === undefined ? {} : { output }),
  } as const;
  return bench.perform(pluginPerformer(new Map([["say", type]])), node);
}

const said = (text: string): NodeResult => ({ outcome: "success", output: { text, bytes: text.length } });

test("what a plug-in says is read as `output` says, and what does not fit is a failure", async () => {
  expect(await performed(said("free text"))).toEqual(said("free text"));
  expect(await performed(said('{"x": "a"}'), oneOf)).toMatchObject({ outcome: "success", value: { x: "a" } });
  const unfit = { outcome: "failure", reason: { code: "output_invalid" } };
  expect(await performed(said('{"x": "c"}'), oneOf)).toMatchObject(unfit);
  const value = await performed({ outcome: "success", value: { x: "c" } }, oneOf);
  expect(value).toMatchObject(unfit);
  expect(value.value).toBeUndefined();
  const port = await performed({ outcome: "success", value: { x: "a" }, ports: { x: "c", y: 1 } }, oneOf);
  expect(port).toMatchObject({ ...unfit, ports: { y: 1 } });
});
