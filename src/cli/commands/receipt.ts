import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { limits } from "../../model/limits.ts";
import { exitCodes } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import { readPlainFile, realOf } from "../../runtime/tree/plain-file.ts";
import { escaped } from "../../views/inert.ts";
import { report, usage } from "../problem.ts";
import { makeReceipt } from "../receipt/make.ts";
import { verifyReceipt } from "../receipt/verify.ts";
import { isFile } from "../documents/files.ts";
import { dataHome } from "../store/home.ts";
import { readingRun } from "../store/stored-run.ts";
import type { World } from "../world.ts";

/** Prints the receipt of a run, or writes it into a new file. */
export function receipt(world: World, run: string, options: { readonly out?: string }): Promise<number> {
  return readingRun(world, run, async (row, journal) => {
    const { openBlobs } = await world.compose();
    const blobs = openBlobs(dataHome(world.env, world.cwd));
    const made = await makeReceipt(journal, row, (blob) => isFile(blobs.pathOf(blob)));
    if (made === null) {
      const message = `the journal of run ${row.run} does not begin with its start`;
      return report(world, { exit: exitCodes.failed, message });
    }
    return options.out === undefined ? print(world, made) : write(world, options.out, made);
  });
}

function print(world: World, text: string): number {
  world.out.write(text);
  return exitCodes.ok;
}

function write(world: World, out: string, text: string): number {
  try {
    writeFileSync(resolve(world.cwd, out), text, { flag: "wx", mode: 0o600 });
    return exitCodes.ok;
  } catch (error) {
    return report(world, usage(`${out} cannot be written: ${messageOf(error)}`, "Name a file that is not there yet."));
  }
}

/** Checks a receipt by itself: nothing but the file is read. */
export async function verify(world: World, file: string): Promise<number> {
  let bytes: Uint8Array;
  try {
    const path = resolve(world.cwd, file);
    bytes = await readPlainFile(realOf(path) ?? path, limits.receiptBytes);
  } catch (error) {
    return report(world, usage(`${file} cannot be read: ${messageOf(error)}`));
  }
  const verified = await verifyReceipt(bytes);
  if ("place" in verified) {
    world.out.write(`${escaped(`${file}: ${verified.place}: ${verified.problem}`)}\n`);
    return exitCodes.failed;
  }
  const { run, status, journal } = verified.receipt;
  for (const note of verified.notes) world.err.write(`${escaped(note)}\n`);
  const { head, records } = journal;
  const fits = `${records.length} records up to event ${head.seq} fit, head ${head.hash}`;
  world.out.write(`${escaped(`${run} ${status ?? "not over"}: ${fits}`)}\n`);
  return exitCodes.ok;
}
