import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Place, root } from "./support/cli.ts";

/** What `npm pack` makes, unpacked where npm would put it. */
const place = new Place();
const installed = join(place.folder, "node_modules", "@trammel", "trammel");
let files: readonly string[] = [];

beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", place.folder], {
    cwd: root,
    encoding: "utf8",
  });
  const [pack] = Object.values(JSON.parse(packed) as Record<string, { filename: string; files: { path: string }[] }>);
  files = pack?.files.map((file) => file.path) ?? [];
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(place.folder, pack?.filename ?? ""), "--strip-components=1", "-C", installed]);
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
});

afterAll(() => place[Symbol.dispose]());

function node(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, {
    cwd: place.folder,
    encoding: "utf8",
    env: { ...process.env, TRAMMEL_HOME: place.home },
  });
}

describe("the package", () => {
  it("holds what it needs to run and nothing of how it was made", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "bin/trammel.js",
        "bin/package.json",
        "dist/cli/main.cjs",
        "dist/lib/index.js",
        "examples/fix-test-failure.yaml",
        "LICENSE",
      ]),
    );
    expect(files.filter((file) => /^(src|test|bench|scripts|node_modules)\/|\.test\.[jt]s$/.test(file))).toEqual([
      "examples/demo-project/test/versions.test.js",
    ]);
  });

  it("carries the license of every package that is copied into it", () => {
    const notices = readFileSync(join(installed, "dist", "cli", "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["yaml", "commander", "picocolors", "diff"])
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
    expect(notices).toContain("Permission is hereby granted");
  });

  it("checks and runs a blueprint", () => {
    const bin = join(installed, "bin", "trammel.js");
    place.file("b.yaml", `name: b\nnodes:\n  a: {type: script, run: "echo from the package"}\n`);
    expect(node(bin, "check", "b.yaml")).toBe("");
    expect(node(bin, "run", "t", "-b", "b.yaml")).toBe("from the package\n");
  });

  it("can be imported, with types", () => {
    place.file(
      "use.mjs",
      `import { check } from "@trammel/trammel"; console.log(check("name: [").diagnostics[0].code);`,
    );
    expect(node(place.path("use.mjs"))).toBe("syntax\n");
    const options = { strict: true, module: "nodenext", target: "es2024", noEmit: true, types: [] };
    place.file("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
    place.file("package.json", `{"type":"module"}`);
    place.file(
      "use.ts",
      `import { check, type Blueprint } from "@trammel/trammel";\nconst found: Blueprint | null = check("").blueprint;\nexport const name: string | undefined = found?.name;\n`,
    );
    execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", place.path("tsconfig.json")], {
      stdio: "pipe",
      encoding: "utf8",
    });
    place.file(
      "use.ts",
      `import { check } from "@trammel/trammel";\nexport const wrong: number = check("").blueprint;\n`,
    );
    expect(() =>
      execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", place.path("tsconfig.json")], { stdio: "pipe" }),
    ).toThrow("Command failed");
  });
});
