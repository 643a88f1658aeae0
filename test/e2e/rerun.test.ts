import { describe, expect, it } from "vitest";
import { lastLine, Place, trammel } from "./support/cli.ts";

const greeting = `name: greeting
inputs:
  times: {type: integer}
  key: {type: string, sensitive: true, default: none at all}
entry: a
nodes:
  a: {type: script, secrets: [key], run: 'echo "$TRAMMEL_INPUT_TASK $TRAMMEL_INPUT_TIMES \${#TRAMMEL_INPUT_KEY} $TRAMMEL_TASK_ID"'}
edges: []
`;

async function idOf(args: readonly string[], place: Place): Promise<string> {
  const finished = await trammel([...args, "--json"], { place });
  expect(finished.code).toBe(0);
  return String(lastLine(finished)["run"]);
}

describe("rerun", () => {
  it("runs the same definition with the same task, inputs and counts, whatever became of the file", async () => {
    using place = new Place();
    place.file("b.yaml", greeting);
    const first = await idOf(["run", "hello", "-b", "b.yaml", "--input", "times=3", "--input", "key=12345"], place);
    place.file("b.yaml", "name: something else\n");
    const again = await trammel(["rerun", first, "--input", "key=1234567"], { place });
    expect([again.code, again.stdout]).toEqual([0, `hello 3 7 ${first}\n`]);
    const other = await idOf(["rerun", first, "--input", "key=12345", "--input", "times=4"], place);
    expect(other).not.toBe(first);
    const shown = await trammel(["show", other], { place });
    expect(shown.stdout).toContain(`hello 4 5 ${first}`);
  });

  it("wants sensitive inputs again, since the journal does not hold them", async () => {
    using place = new Place();
    place.file("b.yaml", greeting);
    const first = await idOf(["run", "hello", "-b", "b.yaml", "--input", "times=3", "--input", "key=12345"], place);
    const refused = await trammel(["rerun", first], { place });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      2,
      "",
      `trammel: sensitive inputs of run ${first} are not in its journal: key\n  Give them again: --input key=VALUE\n`,
    ]);
  });
});
