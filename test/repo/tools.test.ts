import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRepositoryFile, root } from "../../scripts/files.ts";

/** A small package with the repository's own configuration and one fault for each tool. */
let folder: string;

const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "planted",
    version: "1.0.0",
    type: "module",
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/gone.js" } },
    dependencies: { yaml: "2.9.1" },
    workspaces: ["scripts"],
  }),
  "scripts/package.json": JSON.stringify({ name: "planted-scripts", private: true, type: "module" }),
  "scripts/main.ts": `import { used } from "../src/parts.ts";\nused();\n`,
  "src/parts.ts": `export function used(): number {\n  return "text";\n}\nexport function dead(): void {}\n`,
  "src/orphan.ts": `export const orphan=1\n`,
};

function run(command: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-tools-"));
  for (const file of ["tsconfig.json", "knip.json", ".oxfmtrc.json"]) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["tsc -p tsconfig.json", /src\/parts\.ts\(2,3\): error TS2322/],
  ["oxfmt --check src", /src\/orphan\.ts/],
  ["knip --include files", /src\/orphan\.ts/],
  ["knip --include exports", /dead +function +src\/parts\.ts/],
  ["knip --dependencies", /yaml +package\.json/],
  ["publint --strict", /dist\/gone\.js/],
])("%s finds its planted fault", (command, fault) => {
  const { status, output } = run(command);
  expect({ status, output }).toEqual({ status: 1, output: expect.stringMatching(fault) });
});

test("these are the tools that verify runs", () => {
  const { scripts } = JSON.parse(readRepositoryFile("package.json")) as { scripts: Record<string, string> };
  expect(scripts).toMatchObject({
    typecheck: "tsc -p tsconfig.json",
    "format:check": "oxfmt --check",
    publint: "publint --strict",
  });
  expect(scripts["knip"]).toMatch(/^knip\b/);
});
