import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Place } from "../e2e/support/cli.ts";
import { image, works } from "./ground.ts";

/** A blueprint of one line a node, one after the other. */
export function document(...nodes: readonly string[]): string {
  const ids = nodes.map((node) => node.slice(0, node.indexOf(":")));
  const edges = ids.slice(1).map((id, at) => `  - {from: ${ids[at]}, when: success, to: ${id}}`);
  return ["name: boxed", `entry: ${ids[0]}`, "nodes:", ...nodes.map((node) => `  ${node}`), "edges:", ...edges].join(
    "\n",
  );
}

export function repository(place: Place): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: place.path("repo"),
      encoding: "utf8",
    });
  mkdirSync(place.path("repo"));
  git("init", "-q", "-b", "main");
  place.file("repo/a.txt", "first\n");
  git("add", ".");
  git("commit", "-qm", "one");
  git("checkout", "-qb", "side");
  place.file("repo/a.txt", "second\n");
  git("commit", "-qam", "two");
  git("checkout", "-q", "main");
  return git("rev-parse", "side").trim();
}

/** Nothing of any box of the place is left, on disk or in an engine. */
export function expectNothingLeft(place: Place, runId: string): void {
  const sandboxes = join(place.home, "sandboxes");
  const left = ["boxes", "records", "staged"]
    .map((part) => join(sandboxes, part))
    .filter((folder) => existsSync(folder));
  expect(left.flatMap((folder) => readdirSync(folder))).toEqual([]);
  for (const engine of ["docker", "podman"] as const) {
    if (!works(engine)) continue;
    const ask = (...args: readonly string[]): string => execFileSync(engine, args, { encoding: "utf8" }).trim();
    expect(ask("ps", "--all", "--quiet", "--filter", `name=${runId}`)).toBe("");
    expect(ask("volume", "ls", "--quiet", "--filter", `name=${runId}`)).toBe("");
  }
}

/** Each kind of box, and what selects it. */
export const subjects = [
  { name: "bubblewrap", image: "host", engine: "", there: works("bubblewrap") },
  { name: "docker", image, engine: "sandbox: {driver: docker}", there: works("docker") },
  { name: "podman", image: `localhost/${image}`, engine: "sandbox: {driver: podman}", there: works("podman") },
] as const;
