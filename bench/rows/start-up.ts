import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processTime } from "../floors.ts";
import { against, interleave } from "../measure.ts";
import type { Row } from "../measure.ts";
import { inScratch } from "../scratch.ts";

const launcher = join(import.meta.dirname, "../../bin/trammel.js");

const small = `name: small
entry: hello
nodes:
  hello: {type: script, run: "true"}
edges:
  - {from: hello, to: END}
`;

/** Whole processes, the launcher included; both sides on the Node that runs the bench. */
function startUp(id: string, atMost: number, arguments_: readonly string[]): Row {
  return {
    id,
    what: `start-up of trammel ${arguments_.join(" ")}`,
    floorName: "node -e 0",
    reach: { atMost },
    ratio: true,
    measure: () =>
      inScratch(async (folder) => {
        if (!existsSync(join(import.meta.dirname, "../../dist"))) throw new Error("build first: npm run build");
        writeFileSync(join(folder, "small.yaml"), small);
        const env = { ...process.env, TRAMMEL_HOME: join(folder, "home") };
        const subject = (): Promise<number> => processTime(process.execPath, [launcher, ...arguments_], folder, 5, env);
        const floor = (): Promise<number> => processTime(process.execPath, ["-e", "0"], folder, 5, env);
        return against("ms", await interleave(7, subject, floor));
      }),
  };
}

export const startUpRows: readonly Row[] = [
  startUp("version", 1.5, ["--version"]),
  startUp("check-small", 3, ["check", "small.yaml"]),
  startUp("run-small", 4, ["run", "-b", "small.yaml"]),
];
