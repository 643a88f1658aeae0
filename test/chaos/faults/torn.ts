import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../../src/hosts/embedded/journal.ts";
import { systemClock } from "../../../src/runtime/time/clock.ts";
import { systemIds } from "../../../src/runtime/ids.ts";
import { isAlive, isSame, self } from "../../../src/runtime/processes/identity.ts";
import { linearCase } from "../cases.ts";
import { chances, sample } from "../chances.ts";
import { type Figures, nothing } from "../figures.ts";
import { Site } from "../site.ts";

// https://sqlite.org/walformat.html
const walHeaderBytes = 32;
const frameHeaderBytes = 24;
const pageSizeAt = 8;
const sizeAfterCommitAt = 4;

/** Cuts the log of a killed engine at bytes of its last record: `most` of all of them, drawn by the seed. */
export async function torn(most: number, seed: number): Promise<Figures> {
  using site = new Site();
  await site.trammel(site.work(linearCase), ["run", "t", "-b", "b.yaml", "--json"], { at: "after:5" });
  // Read before anybody opens the store again, which takes the log in.
  const [db, wal] = ["trammel.db", "trammel.db-wal"].map((name) => readFileSync(join(site.home, name)));
  if (db === undefined || wal === undefined) throw new Error("the killed engine left no log");
  const open = async (bytes: number): Promise<Found> => {
    const home = join(site.folder, "cut");
    mkdirSync(home);
    writeFileSync(join(home, "trammel.db"), db);
    writeFileSync(join(home, "trammel.db-wal"), wal.subarray(0, bytes));
    const found = await lookInto(home);
    rmSync(home, { recursive: true });
    return found;
  };
  const begins = lastRecordOf(wal);
  const [before, whole] = [await open(begins), await open(wal.length)];
  const wrong = whole.seqs.length > before.seqs.length && whole.notices.length === 0 ? [] : ["nothing was cut off"];
  const places = Array.from({ length: wal.length - begins - 1 }, (_, i) => begins + 1 + i);
  const chosen = sample(places, most, chances(seed));
  let lost = 0;
  for (const at of chosen) {
    const { seqs, notices, next } = await open(at);
    // The torn record is gone whole and that is said; what is before it stands, and numbers go on from there.
    if (seqs.join() !== before.seqs.join()) lost += 1;
    if (notices.length !== 1 || !notices[0]?.includes("cut short")) wrong.push(`cut at ${at}: said ${notices.join()}`);
    if (next !== seqs.length + 1) wrong.push(`cut at ${at}: went on with number ${next}`);
  }
  return { ...nothing, cases: chosen.length, lost, wrong };
}

interface Found {
  readonly seqs: readonly number[];
  readonly notices: readonly string[];
  /** Number of an event that is recorded now. */
  readonly next: number | undefined;
}

async function lookInto(home: string): Promise<Found> {
  const notices: string[] = [];
  const notice = (what: string): void => void notices.push(what);
  const ids = systemIds(systemClock);
  const journal = openJournal({ home, clock: systemClock, ids, notice, self: self(), isAlive, isSame });
  const [row] = journal.runs(1);
  if (row === undefined) throw new Error("the run is gone");
  const seqs = [...journal.read(row.run)].map(({ seq }) => seq);
  const taken = await journal.takeOver(row.run, row.owner, self(), seqs.length);
  const added = await journal.append(row.run, [{ type: "run.stop_requested", by: "a person" }], systemClock.now());
  await journal.close();
  const next = taken === null && !("conflict" in added) ? added[0]?.seq : undefined;
  return { seqs, notices, next };
}

/** Where the frames of the last commit begin. */
function lastRecordOf(wal: Buffer): number {
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(pageSizeAt);
  let begins = walHeaderBytes;
  for (let at = walHeaderBytes; at + frameBytes < wal.length; at += frameBytes)
    if (wal.readUInt32BE(at + sizeAfterCommitAt) !== 0) begins = at + frameBytes;
  return begins;
}
