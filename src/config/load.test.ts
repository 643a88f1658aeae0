import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nearestAbove, userFile } from "./load.ts";

it("takes no relative folder for that of the user's own configuration", () => {
  const own = join(homedir(), ".config", "trammel", "config.yaml");
  expect(["config", "./config", ""].map((XDG_CONFIG_HOME) => userFile({ XDG_CONFIG_HOME }))).toEqual([own, own, own]);
  expect(userFile({})).toBe(own);
  expect(userFile({ XDG_CONFIG_HOME: "/etc/of me" })).toBe("/etc/of me/trammel/config.yaml");
});

it("finds the nearest of a name inside the repository, a link to nothing too", () => {
  const folder = mkdtempSync(join(tmpdir(), "trammel-load-"));
  const [repository, below] = [join(folder, "repository"), join(folder, "repository", "a", "b")];
  mkdirSync(below, { recursive: true });
  mkdirSync(join(repository, ".git"));
  mkdirSync(join(folder, "x"));
  expect(nearestAbove(below, "x")).toBeNull();
  symlinkSync("nowhere", join(repository, "x"));
  expect(nearestAbove(below, "x")).toBe(join(repository, "x"));
  rmSync(folder, { recursive: true });
});
