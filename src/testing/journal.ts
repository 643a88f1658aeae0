import type { Journal } from "../ports/journal.ts";

/** A journal whose commits are made inside `around`, such as to know that one is under way. */
export function watchedJournal(inner: Journal, around: <T>(commit: () => Promise<T>) => Promise<T>): Journal {
  return {
    create: (...args) => around(() => inner.create(...args)),
    append: (...args) => around(() => inner.append(...args)),
    takeOver: (...args) => around(() => inner.takeOver(...args)),
    giveBack: (...args) => around(() => inner.giveBack(...args)),
    release: (...args) => around(() => inner.release(...args)),
    remove: (...args) => inner.remove(...args),
    read: (...args) => inner.read(...args),
    records: (...args) => inner.records(...args),
    runs: (...args) => inner.runs(...args),
    find: (...args) => inner.find(...args),
    removed: (...args) => inner.removed(...args),
    definition: (...args) => inner.definition(...args),
    passes: (...args) => inner.passes(...args),
    post: (...args) => inner.post(...args),
    listen: (...args) => inner.listen(...args),
    gone: (...args) => inner.gone(...args),
    ahead: (...args) => inner.ahead(...args),
    queued: () => inner.queued(),
    enter: (...args) => inner.enter(...args),
    leave: (...args) => inner.leave(...args),
    close: () => inner.close(),
  };
}
