import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import type { SandboxDriver, SandboxFault } from "../../ports/sandbox.ts";
import { readOwner } from "../owner.ts";
import { type DriverParts, sandboxFolder } from "../parts.ts";
import type { BubblewrapBox } from "./box.ts";
import { clear } from "./clear.ts";
import { createBox } from "./create.ts";
import { enterCommand } from "./enter.ts";
import { type BoxFolder, boxesIn, boxFolder, readIfThere } from "./layout.ts";

/** Boxes of namespaces, with no daemon. No network unless the box says `host`. */
export function bubblewrapDriver(parts: DriverParts): SandboxDriver {
  const folder = sandboxFolder(parts);
  const live = new Map<string, BubblewrapBox>();
  const discard = async (id: string): Promise<null | SandboxFault> =>
    (await live.get(id)?.destroy("remove")) ?? clear(boxFolder(folder, id), "over");
  return {
    name: "bubblewrap",
    check: () => check(parts),
    create: (spec, signal) => createBox(parts, live, spec, signal),
    workspaceOf: (id) => boxFolder(folder, id).workspace,
    enterCommand: (id, spec) => enterCommand(boxFolder(folder, id).workspace, spec),
    discard,
    async sweep(verdict) {
      const removed: string[] = [];
      for (const id of await idsIn(boxesIn(folder))) {
        const box = boxFolder(folder, id);
        const what = await verdict(id, await ownerOf(box));
        if (what === "live" || (what === "resumable" && !existsSync(box.scratch))) continue;
        const fault = (await live.get(id)?.destroy(what === "over" ? "remove" : "keep")) ?? (await clear(box, what));
        if (fault === null) removed.push(id);
      }
      return removed;
    },
  };
}

async function idsIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

async function ownerOf(folder: BoxFolder): Promise<ProcessIdentity | null> {
  const text = await readIfThere(folder.owner);
  return text === null ? null : readOwner(text);
}

async function check(parts: DriverParts): Promise<{ readonly works: string } | SandboxFault> {
  const how = { cwd: "/", env: parts.env, timeoutMs: limits.sandboxCommandMs, outputBytes: limits.toolOutputBytes };
  const { signal } = new AbortController();
  const version = await parts.processes.run({ argv: ["bwrap", "--version"], ...how }, signal);
  if (version.end.kind === "could_not_start")
    return { fault: version.end.message, hint: "Install bubblewrap with the package manager of the system." };
  const argv = ["bwrap", "--unshare-user", "--unshare-all", "--disable-userns", "--ro-bind", "/", "/", "true"];
  const { end, stderr } = await parts.processes.run({ argv, ...how }, signal);
  if (end.kind === "exit" && end.code === 0) return { works: version.stdout.text.trim() };
  return {
    fault: `bubblewrap cannot make a box here: ${stderr.text.trim() || end.kind}`,
    hint: "Allow user namespaces for this user (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, or AppArmor).",
  };
}
