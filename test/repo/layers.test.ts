import { describe, expect, test } from "vitest";
import { readRepositoryFile, sources } from "../../scripts/files.ts";
import { importProblems, readLayers, roomProblems, tableProblems } from "../../scripts/layers.ts";

const layers = readLayers(readRepositoryFile("ARCHITECTURE.md"));
const forbidden = [...layers.table].flatMap(([from, allowed]) =>
  allowed === null
    ? []
    : [...layers.table.keys()].filter((to) => to !== from && !allowed.has(to)).map((to) => [from, to] as const),
);

function planted(from: string, statement: string, to = "model"): string[] {
  const file = `src/${from}/planted.ts`;
  return importProblems(
    layers,
    new Map([
      [file, statement],
      [`src/${to}/target.ts`, ""],
    ]),
  );
}

describe("the repository", () => {
  test("keeps the layer rule of ARCHITECTURE.md", () => {
    expect(tableProblems(layers)).toEqual([]);
    const files = sources();
    expect(files.size).toBeGreaterThan(15);
    expect(importProblems(layers, files)).toEqual([]);
    expect(roomProblems(files)).toEqual([]);
  });

  test("has rules to break", () => {
    expect(forbidden.length).toBeGreaterThan(80);
    expect([...layers.pure].sort()).toEqual(["check", "engine", "graph", "language", "model", "wire"]);
  });
});

describe("a planted import is reported", () => {
  test.each(forbidden)("%s → %s", (from, to) => {
    expect(planted(from, `import { x } from "../${to}/target.ts";`, to)).toEqual([
      `src/${from}/planted.ts:1: ${from} may not import ${to} ("../${to}/target.ts")`,
    ]);
  });

  test.each([...layers.pure])("node: in the pure layer %s", (layer) => {
    expect(planted(layer, `import "node:fs";`)).toEqual([
      `src/${layer}/planted.ts:1: ${layer} is pure; "node:fs" is not`,
    ]);
  });

  test.each([
    ["static", `import { x } from "../cli/target.ts";`],
    ["type", `\nimport type { X } from "../cli/target.ts";`],
    ["dynamic", `export const x = () => import("../cli/target.ts");`],
    ["side effect", `import "../cli/target.ts";`],
    ["nested", `export async function f() { if (Date) return (await import('../cli/target.ts')).x; }`],
  ])("as a %s import", (_kind, statement) => {
    expect(planted("engine", statement, "cli")).toHaveLength(1);
  });

  test("in a file that stands in a deeper folder", () => {
    const files = new Map([
      ["src/engine/a/b.ts", `import "../../cli/c.ts";`],
      ["src/cli/c.ts", ""],
    ]);
    expect(importProblems(layers, files)).toEqual([
      `src/engine/a/b.ts:1: engine may not import cli ("../../cli/c.ts")`,
    ]);
  });
});

test("a part without a row, a path that leads nowhere and a barrel are reported", () => {
  expect(planted("surprise", "")).toEqual([expect.stringContaining(`"surprise" has no row`)]);
  expect(planted("engine", `import "../model/gone.ts";`)).toEqual([expect.stringContaining("is no source file")]);
  expect(planted("engine", `export { x } from "../model/target.ts";`)).toEqual([
    expect.stringContaining("passes another module's exports on"),
  ]);
  expect(planted("engine", `export * from "../model/target.ts";`)).toEqual([
    expect.stringContaining("passes another module's exports on"),
  ]);
});

test("faults of the table itself are reported", () => {
  const read = (rows: string): string[] => tableProblems(readLayers(`${rows}\n\n\`a\` are pure`));
  expect(read("| `src/a/` | x | – |\n| `src/b/` | x | a |")).toEqual([]);
  expect(read("| `src/a/` | x | gone |")).toEqual([`ARCHITECTURE.md: a may import "gone", which has no row`]);
  expect(read("| `src/a/` | x | b |\n| `src/b/` | x | c |\n| `src/c/` | x | a |")).toEqual([
    "ARCHITECTURE.md: a, b, c may import each other",
  ]);
  expect(tableProblems(readLayers(""))).toHaveLength(2);
});

test("folders of a part that import each other are reported, and whoever only imports them is not", () => {
  const files = new Map([
    ["src/engine/decide.ts", `import "./ending/halts.ts";`],
    ["src/engine/ending/halts.ts", `import type { S } from "../routing/joins.ts";`],
    ["src/engine/routing/joins.ts", `import "../ending/strikes.ts";`],
    ["src/engine/ending/strikes.ts", `import "../state.ts";`],
    ["src/engine/state.ts", ""],
  ]);
  expect(roomProblems(files)).toEqual(["src/engine: ending, routing import each other; move what both need"]);
});
