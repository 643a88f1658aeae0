import type { Blueprint } from "../model/blueprint.ts";

type Settings = Pick<Blueprint, "workspace" | "concurrency">;

/**
 * Settings of a callee that only the blueprint that is run can have: a callee works where
 * its caller does. Those that are the same there are none.
 */
export function ownSettings({ workspace, concurrency }: Settings, top: Settings): readonly string[] {
  const placed = (["cwd", "isolate", "carry", "setup", "checkpoint"] as const).filter((key) => {
    const asked = workspace[key];
    return asked !== undefined && asked !== "none" && !isSame(asked, top.workspace[key]);
  });
  const shares = concurrency.overlap === "allow" || isSame(concurrency, {}) || isSame(concurrency, top.concurrency);
  return [...placed.map((key) => `workspace.${key}`), ...(shares ? [] : ["concurrency"])];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
