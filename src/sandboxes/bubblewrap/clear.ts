import { rm } from "node:fs/promises";
import { messageOf } from "../../model/thrown.ts";
import type { SandboxFault, SandboxVerdict } from "../../ports/sandbox.ts";
import { removeGroups } from "./groups.ts";
import { type BoxFolder, readIfThere, removeTree } from "./layout.ts";

/** Removes what a box left, whoever made it. */
export async function clear(folder: BoxFolder, what: Exclude<SandboxVerdict, "live">): Promise<null | SandboxFault> {
  try {
    const groups = (await readIfThere(folder.groups)) ?? "";
    await removeGroups(groups.split("\n").filter((line) => line !== ""));
    await rm(folder.groups, { force: true });
    await removeTree(what === "over" ? folder.root : folder.scratch);
    return null;
  } catch (error) {
    const problem = messageOf(error);
    return { fault: `${folder.root} could not be removed: ${problem}`, hint: "Remove it by hand." };
  }
}
