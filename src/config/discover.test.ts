import { describe, expect, it } from "vitest";
import { discover } from "./discover.ts";

function found(files: Readonly<Record<string, string>>) {
  return discover((name) => (Object.hasOwn(files, name) ? (files[name] ?? null) : null));
}

describe("discover", () => {
  it("takes scripts of a package by any of their usual names, with the manager whose lock is there", () => {
    const scripts = { lint: "eslint .", typecheck: "tsc", test: "vitest", build: "x" };
    const manifest = JSON.stringify({ scripts });
    expect(found({ "package.json": manifest })).toEqual({
      commands: { lint: "npm run lint", "type-check": "npm run typecheck", test: "npm run test" },
      files: ["package.json"],
    });
    expect(found({ "package.json": manifest, "pnpm-lock.yaml": "" }).commands["test"]).toBe("pnpm run test");
  });

  it("takes no test that is none, and nothing of a broken manifest", () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' };
    expect(found({ "package.json": JSON.stringify({ scripts }) }).commands).toEqual({});
    for (const text of ["{", "[]", "null", `{"scripts": 3}`, `{"scripts": {"test": 1}}`]) {
      expect(found({ "package.json": text })).toEqual({ commands: {}, files: [] });
    }
  });

  it("lets the first language win where two have a command", () => {
    const both = found({
      "package.json": JSON.stringify({ scripts: { test: "vitest" } }),
      "Cargo.toml": "",
      Makefile: "lint:\n\techo\ntest:\n",
    });
    expect(both.commands).toEqual({
      test: "npm run test",
      lint: "cargo clippy --all-targets -- -D warnings",
      "type-check": "cargo check --all-targets",
    });
    expect(both.files).toEqual(["package.json", "Cargo.toml", "Makefile"]);
  });

  it("reads what Python and make say", () => {
    expect(found({ "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n" }).commands).toEqual({
      lint: "ruff check .",
      test: "pytest",
    });
    expect(found({ Makefile: "test: build\n\tgo\nlint := x\n" }).commands).toEqual({ test: "make test" });
  });

  it("finds nothing in an empty folder", () => {
    expect(found({})).toEqual({ commands: {}, files: [] });
  });
});
