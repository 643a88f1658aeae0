import type { JournalEvent } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { GateKeeper } from "../../ports/gate.ts";
import { type JournalReader, StoreUnavailable } from "../../ports/journal.ts";
import type { Observer } from "../../runtime/api.ts";

/** Asks nobody and waits: an answer comes from outside, or the run is parked. */
export const patientGates: GateKeeper = {
  ask: (_, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({ kind: "nobody" });
      signal.addEventListener("abort", () => resolve({ kind: "nobody" }), { once: true });
    }),
};

const nobody: Observer = { event: () => undefined, progress: () => undefined };

/**
 * Tells of everything and parks the run when nothing in it goes on without a person, by what the
 * store says of it. `park` answers false while an answer is being taken, or an agent waits for
 * leave, so that it is asked again. After `over` nobody looks.
 */
export function whenParked(
  observer: Observer,
  journal: Pick<JournalReader, "find">,
  park: () => boolean,
  over: AbortSignal,
): Observer {
  let looking = false;
  const look = (run: string, delayMs: number) => {
    looking = false;
    if (over.aborted) return;
    const waiting = isWaiting(journal, run);
    if (waiting === false || (waiting === true && park())) return;
    looking = true;
    setTimeout(look, delayMs, run, Math.min(2 * delayMs, limits.parkRetryMaxMs));
  };
  return {
    progress: (at, progress) => observer.progress(at, progress),
    inside: (parent) => observer.inside?.(parent) ?? nobody,
    event(event: JournalEvent) {
      observer.event(event);
      // What is committed together is told together: what follows it is known in the next turn.
      if (looking) return;
      looking = true;
      setImmediate(look, event.run, limits.parkRetryMs);
    },
  };
}

/** Null where the store cannot be read now. What that means for the run, the run itself tells. */
function isWaiting(journal: Pick<JournalReader, "find">, run: string): boolean | null {
  try {
    return journal.find(run)?.status === "waiting";
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}
