import { expect, test } from "vitest";
import type { JournalEvent } from "../../model/events.ts";
import { type RunRow, StoreUnavailable } from "../../ports/journal.ts";
import { whenParked } from "./parking.ts";

const silent = { event: () => undefined, progress: () => undefined };
const event: JournalEvent = { run: "r", seq: 1, at: 0, hash: "", body: { type: "run.time_spent" } };

test("a run is parked once its store can be read again, and no fault of the store ends the process meanwhile", async () => {
  let looks = 0;
  const find = (): RunRow | null => {
    looks += 1;
    if (looks < 3) throw new StoreUnavailable("it cannot be read", "");
    return { status: "waiting" } as RunRow; // all that is looked at
  };
  let parked = 0;
  const over = new AbortController();
  const observer = whenParked(silent, { find }, () => (parked += 1) > 0, over.signal);
  observer.event(event);
  await expect.poll(() => parked).toBeGreaterThan(0);
  expect([looks, parked]).toEqual([3, 1]);
});
