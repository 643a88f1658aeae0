import type { SandboxVerdict } from "../../ports/sandbox.ts";
import type { Cli } from "./cli.ts";
import { labels } from "./create.ts";
import { removeVolume } from "./volume.ts";

type Verdict = (id: string, owner: string) => Promise<SandboxVerdict>;

/** Removes containers of this data folder whose engine is gone, then the workspaces that nobody will come back to. */
export async function sweepEngine(cli: Cli, mine: string, verdict: Verdict): Promise<readonly string[]> {
  const removed = new Set<string>();
  const live = new Set<string>();
  for (const { id, owner } of await boxes(cli, mine)) {
    if ((await verdict(id, owner)) === "live") {
      live.add(id);
      continue;
    }
    const { ok } = await cli(["rm", "--force", id]);
    if (ok) removed.add(id);
  }
  const { stdout } = await cli(["volume", "ls", "--quiet", "--filter", `label=${mine}`]);
  for (const id of linesOf(stdout)) {
    if (live.has(id) || (await verdict(id, "")) !== "over") continue;
    if ((await removeVolume(cli, id)) === null) removed.add(id);
  }
  return [...removed];
}

async function boxes(cli: Cli, mine: string): Promise<readonly { readonly id: string; readonly owner: string }[]> {
  const { stdout } = await cli(["ps", "--all", "--quiet", "--filter", `label=${mine}`]);
  const found = linesOf(stdout);
  if (found.length === 0) return [];
  const format = `{{.Name}} {{index .Config.Labels "${labels.owner}"}}`;
  const { stdout: rows } = await cli(["inspect", "--format", format, ...found]);
  return linesOf(rows).map((row) => {
    const [name = "", owner = ""] = row.split(" ");
    return { id: name.replace(/^\//, ""), owner };
  });
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
