import { expect, test } from "vitest";
import { readRepositoryFile } from "../../scripts/files.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

test("every dependency is pinned to an exact version", () => {
  const { dependencies, devDependencies } = JSON.parse(readRepositoryFile("package.json")) as Manifest;
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  );
  expect(loose).toEqual([]);
});

test("nothing runs when the package is installed, nor looks to npm as if it did", () => {
  const { scripts } = JSON.parse(readRepositoryFile("package.json")) as Manifest;
  const atInstallation = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(scripts).filter((name) => atInstallation.includes(name))).toEqual([]);
});
