import type { SandboxFault } from "../../ports/sandbox.ts";
import type { Cli } from "./cli.ts";

/** The workspace of a box, named like it. */
export async function takeVolume(cli: Cli, id: string, label: string): Promise<"new" | "taken" | SandboxFault> {
  if ((await cli(["volume", "inspect", id])).ok) return "taken";
  const { ok, problem } = await cli(["volume", "create", "--label", label, id]);
  if (ok) return "new";
  return { fault: `no workspace could be made: ${problem}`, hint: "See that the container engine may create volumes." };
}

/** One that is not there is no fault. */
export async function removeVolume(cli: Cli, id: string): Promise<null | SandboxFault> {
  const { ok, problem } = await cli(["volume", "rm", "--force", id]);
  if (ok || !(await cli(["volume", "inspect", id])).ok) return null;
  return { fault: `the workspace of ${id} could not be removed: ${problem}`, hint: `Remove the volume ${id} by hand.` };
}
