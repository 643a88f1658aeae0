import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/files.ts";

/** A folder with the repository's own configuration and nothing but the planted files. */
let folder: string;
let report: string;

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join("\n");

/**
 * What each rule must find: rule, with what tells two faults of it apart → [file, text]. Types
 * matter to the last ones, so a linter without types fails here.
 */
const faults: Readonly<Record<string, readonly [string, string]>> = {
  "no-explicit-any": ["src/cli/any.ts", "export const x: any = 1;"],
  "no-non-null-assertion": ["src/cli/non-null.ts", "export const f = (a?: string): string => a!;"],
  "no-default-export": ["src/cli/default.ts", "export default 1;"],
  "no-barrel-file": ["src/cli/barrel.ts", `export * from "./any.ts";`],
  "no-cycle": ["src/cli/cycle-a.ts", `import type { B } from "./cycle-b.ts";\nexport interface A { b: B }`],
  "max-lines": ["src/cli/long.ts", lines(301, (n) => `export const x${n} = ${n};`)],
  "max-lines-per-function": [
    "src/cli/long-function.ts",
    `export function f(): void {\n${lines(70, (n) => `  f.call(${n});`)}\n}`,
  ],
  eqeqeq: ["src/cli/equal.ts", "export const f = (a: string | number): boolean => a == 1;"],
  "no-disabled-tests": ["src/cli/skip.test.ts", `import { test } from "vitest";\ntest.skip("x", () => {});`],
  "no-focused-tests": ["src/cli/only.test.ts", `import { test } from "vitest";\ntest.only("x", () => {});`],
  "no-restricted-imports": [
    "src/cli/sleep.test.ts",
    `import { setTimeout } from "node:timers/promises";\nawait setTimeout(9);`,
  ],
  "no-nodejs-modules": ["src/engine/node.ts", `export const f = () => import("node:os");`],
  "no-restricted-globals": ["src/engine/clock.ts", "export const f = (): number => Date.now();"],
  "no-restricted-properties": ["src/engine/chance.ts", "export const f = (): number => Math.random();"],
  "no-restricted-properties (of a test)": [
    "src/cli/wait.test.ts",
    `import { vi } from "vitest";\nawait vi.waitUntil(() => true);`,
  ],
  "consistent-type-imports": ["src/cli/type.ts", `import { A } from "./cycle-a.ts";\nexport const f = (a: A): A => a;`],
  "no-floating-promises": ["src/cli/floating.ts", "export function f(p: Promise<void>): void {\n  p;\n}"],
  "no-misused-promises": ["src/cli/misused.ts", "export const f = (p: Promise<boolean>): number => (p ? 1 : 2);"],
  "switch-exhaustiveness-check": [
    "src/cli/switch.ts",
    `export function f(k: "a" | "b"): void {\n  switch (k) {\n    case "a":\n  }\n}`,
  ],
  "only-throw-error": ["src/cli/throw.ts", `export function f(x: string): void {\n  throw x;\n}`],
  "no-unnecessary-type-assertion": ["src/cli/assertion.ts", "export const f = (a: string): string => a as string;"],
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-lint-"));
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  cpSync(join(root, "tsconfig.json"), join(folder, "tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const plant = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  };
  for (const [file, text] of Object.values(faults)) plant(file, text);
  plant("src/cli/cycle-b.ts", `import type { A } from "./cycle-a.ts";\nexport interface B { a: A }`);
  report = spawnSync("oxlint", ["-f", "unix", "src"], { cwd: folder, encoding: "utf8" }).stdout;
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(Object.entries(faults))("%s finds its fault", (name, [file]) => {
  const [rule] = name.split(" ");
  expect(report.split("\n").filter((line) => line.startsWith(`${file}:`) && line.endsWith(`(${rule})]`))).not.toEqual(
    [],
  );
});

test("the rules that find a planted fault are errors in the whole repository, and it has none", () => {
  expect(execFileSync("oxlint", ["-f", "unix"], { cwd: root, encoding: "utf8" }).trim()).toBe("");
});
