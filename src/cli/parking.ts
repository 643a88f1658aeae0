import type { JournalEvent } from "../model/events.ts";
import type { GateKeeper } from "../ports/gate.ts";
import type { JournalReader } from "../ports/journal.ts";
import type { Observer } from "../runtime/api.ts";

/** Asks nobody and waits: an answer comes from outside, or the run is parked. */
export const patientGates: GateKeeper = {
  ask: (_, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({ kind: "nobody" });
      signal.addEventListener("abort", () => resolve({ kind: "nobody" }), { once: true });
    }),
};

/** Tells of everything and calls `parked` once when nothing in the run goes on without a person, by what the store says of it. */
export function whenParked(
  observer: Observer,
  journal: Pick<JournalReader, "find">,
  parked: (run: string) => void,
): Observer {
  let looking = false;
  const look = (run: string) => {
    looking = false;
    if (journal.find(run)?.status === "waiting") parked(run);
  };
  return {
    progress: (at, progress) => observer.progress(at, progress),
    event(event: JournalEvent) {
      observer.event(event);
      // What is committed together is told together: what follows it is known in the next turn.
      if (looking) return;
      looking = true;
      setImmediate(look, event.run);
    },
  };
}
