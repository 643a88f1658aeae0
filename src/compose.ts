import type { Composition } from "./cli/services.ts";
import { openJournal as openEmbedded } from "./hosts/embedded/journal.ts";
import type { Journal } from "./ports/journal.ts";
import { systemClock } from "./runtime/clock.ts";
import { systemIds } from "./runtime/ids.ts";
import { isAlive, isSame, self } from "./runtime/processes/identity.ts";

function openJournal(home: string, notice: (what: string) => void): Journal {
  return openEmbedded({
    home,
    clock: systemClock,
    ids: systemIds(systemClock),
    notice,
    self: self(),
    isAlive,
    isSame,
  });
}

/** The only place that picks adapters. */
export const composition: Composition = { openJournal };
