import type { DatabaseSync, StatementSync } from "node:sqlite";
import { eventVersion, type EventBody, type JournalEvent } from "../../model/events.ts";
import { nobody, type ProcessIdentity } from "../../model/process-identity.ts";
import { isOver, isReopenable, type RunStatus } from "../../model/outcome.ts";
import type { Conflict, NewRun, RunRow, TakeOverOptions } from "../../ports/journal.ts";
import { Standing } from "../../runtime/memory/standing.ts";
import { chain, genesis, textHash } from "./chain.ts";
import { type Account, Charges } from "./charges.ts";
import { pauseOf, statusAfter, type Head } from "./head.ts";
import { Places } from "./places.ts";
import type { Reader } from "./reader.ts";
import { Removed } from "./removed.ts";
import { ownerOf, runColumns, runOf, textOf } from "./rows.ts";
import { TurnTable } from "./turns.ts";

export type IsAlive = (process: ProcessIdentity) => boolean;
export type IsSame = (a: ProcessIdentity, b: ProcessIdentity) => boolean;

export interface LedgerPorts {
  /** This process, the only one whose runs it appends to. */
  readonly self: ProcessIdentity;
  readonly isAlive: IsAlive;
  readonly isSame: IsSame;
}

/**
 * Everything that is written about runs. Each method runs inside a transaction of the
 * writer and answers a conflict before it writes anything.
 */
export class Ledger {
  readonly #reader: Reader;
  readonly #ports: LedgerPorts;
  readonly #charges: Charges;
  readonly #places: Places;
  readonly turns: TurnTable;
  readonly #heads = new Map<string, Head>();
  /** Bytes of the hash that is being bound; SQLite copies them. */
  readonly #hash = Buffer.alloc(32);
  readonly #insertRun: StatementSync;
  readonly #insertDefinition: StatementSync;
  readonly #insertRecord: StatementSync;
  readonly #selectRun: StatementSync;
  readonly #setStatus: StatementSync;
  readonly #setOwner: StatementSync;
  readonly #disown: StatementSync;
  readonly #restore: StatementSync;
  readonly #setDefinition: StatementSync;
  readonly #deleteMessage: StatementSync;
  readonly #deleteMessages: StatementSync;
  readonly #deleteRun: StatementSync;
  readonly #selectInside: StatementSync;
  readonly #removed: Removed;

  constructor(db: DatabaseSync, reader: Reader, ports: LedgerPorts) {
    this.#reader = reader;
    this.#ports = ports;
    this.#charges = new Charges(db);
    this.#places = new Places(db);
    this.#removed = new Removed(db);
    this.turns = new TurnTable(db, ports.isAlive);
    this.#insertRun = db.prepare(`
      INSERT INTO runs (run, blueprint, task_id, task, status, started_at, cwd, definition, tree, key, owner_pid, owner_start, owner_boot, parent, link)
      VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#insertDefinition = db.prepare(
      "INSERT INTO definitions (hash, document, sha256) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
    );
    this.#insertRecord = db.prepare(
      "INSERT INTO journal (run, seq, events, at, version, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#selectRun = db.prepare(`SELECT ${runColumns} FROM runs WHERE run = ?`);
    this.#setStatus = db.prepare("UPDATE runs SET status = ?, reason = ?, ended_at = ? WHERE id = ?");
    this.#setOwner = db.prepare(
      "UPDATE runs SET status = 'running', reason = NULL, ended_at = NULL, owner_pid = ?, owner_start = ?, owner_boot = ? WHERE id = ?",
    );
    this.#disown = db.prepare("UPDATE runs SET owner_pid = ?, owner_start = ?, owner_boot = ? WHERE id = ?");
    this.#restore = db.prepare(
      "UPDATE runs SET status = ?, reason = ?, ended_at = ?, owner_pid = ?, owner_start = ?, owner_boot = ? WHERE id = ?",
    );
    this.#setDefinition = db.prepare("UPDATE runs SET definition = ? WHERE id = ?");
    this.#deleteMessage = db.prepare("DELETE FROM mailbox WHERE id = ?");
    this.#deleteMessages = db.prepare("DELETE FROM mailbox WHERE run = ?");
    this.#deleteRun = db.prepare("DELETE FROM runs WHERE id = ?");
    this.#selectInside = db.prepare(`
      WITH RECURSIVE inside (run) AS (VALUES (?) UNION SELECT runs.run FROM runs JOIN inside ON runs.parent = inside.run)
      SELECT id, run, status FROM runs WHERE run IN inside`);
  }

  create(
    row: NewRun,
    documents: ReadonlyMap<string, string>,
    events: readonly EventBody[],
    at: number,
  ): readonly JournalEvent[] | Conflict {
    const conflict = this.turns.conflict(row) ?? this.#charges.check(accountOf(row), events);
    if (conflict !== null) return conflict;
    const { pid, startTime, bootId } = row.owner;
    this.#keep(documents);
    const { run, blueprint, taskId, task, startedAt, cwd, definition, tree, key } = row;
    const inserted = this.#insertRun.run(
      run,
      blueprint,
      taskId,
      task,
      startedAt,
      cwd,
      definition,
      tree,
      key,
      pid,
      startTime,
      bootId,
      row.parent?.run ?? null,
      row.parent === undefined ? null : JSON.stringify(row.parent),
    );
    if (tree !== null || key !== null) this.turns.leave(run);
    return this.#write(this.#newHead(Number(inserted.lastInsertRowid), row, 0, genesis), events, at);
  }

  append(
    run: string,
    events: readonly EventBody[],
    at: number,
    taken: readonly number[],
    kept: ReadonlyMap<string, string>,
  ): readonly JournalEvent[] | Conflict {
    const head = this.#headOf(run);
    if ("conflict" in head) return head;
    const conflict = this.#charges.check(head.account, events);
    if (conflict !== null) return conflict;
    for (const id of taken) this.#deleteMessage.run(id);
    this.#keep(kept);
    return this.#write(head, events, at);
  }

  takeOver(
    run: string,
    from: ProcessIdentity,
    to: ProcessIdentity,
    read: number,
    { onlyStopped = false }: TakeOverOptions,
  ): null | Conflict {
    const row = this.#selectRun.get(run);
    if (row === undefined) return { conflict: "finished", what: `there is no run ${run}` };
    const stands = runOf(row);
    const ended = stands.endedAt !== null;
    if (ended && !isReopenable(stands.status)) return hasEnded(stands);
    const { isAlive, isSame } = this.#ports;
    const free = ended || isSame(stands.owner, to) || !isAlive(stands.owner);
    if (!free || !isSame(stands.owner, from)) return ownedBy(run, stands.owner);
    const holder = onlyStopped ? null : this.#holderBefore(stands);
    if (holder !== null) return holder;
    const tail = this.#reader.tail(Number(row["id"]), run);
    if (tail.readable !== read) return { conflict: "owner", what: `run ${run} has gone on since it was looked at` };
    const before = isSame(stands.owner, to) ? this.#heads.get(run)?.before : stands;
    this.#setOwner.run(to.pid, to.startTime, to.bootId, Number(row["id"]));
    this.#newHead(Number(row["id"]), stands, tail.seq, tail.hash).before = before;
    return null;
  }

  giveBack(run: string): void {
    const before = this.#heads.get(run)?.before;
    if (before === undefined || "conflict" in this.#headOf(run)) return;
    const { status, reason, endedAt, owner } = before;
    const id = this.#heads.get(run)?.id ?? null;
    this.#restore.run(status, reason, endedAt, owner.pid, owner.startTime, owner.bootId, id);
    this.#heads.delete(run);
  }

  release(run: string): void {
    const head = this.#headOf(run);
    if ("conflict" in head) return;
    this.#disown.run(nobody.pid, nobody.startTime, nobody.bootId, head.id);
    this.#heads.delete(run);
  }

  #holderBefore(run: RunRow): Conflict | null {
    return run.status === "waiting" ? this.turns.conflictOfParked(run) : this.turns.conflict(run);
  }

  remove(runs: readonly string[], at: number): readonly string[] {
    const inside: number[] = [];
    const removed = runs.filter((run) => {
      const row = this.#selectRun.get(run);
      if (row === undefined || runOf(row).endedAt === null || !isOver(runOf(row).status)) return false;
      for (const one of this.#selectInside.all(run)) {
        this.#deleteMessages.run(one["run"] ?? null);
        this.#deleteRun.run(one["id"] ?? null);
        this.#removed.add(textOf(one, "run"), textOf(one, "status") as RunStatus, at);
        inside.push(Number(one["id"]));
      }
      return true;
    });
    this.#places.remove(inside);
    this.#removed.bound();
    return removed;
  }

  /** Another process has committed: it may have taken a run over. */
  doubt(): void {
    for (const head of this.#heads.values()) head.verified = false;
  }

  forget(): void {
    this.#heads.clear();
  }

  #keep(documents: ReadonlyMap<string, string>): void {
    for (const [hash, document] of documents) this.#insertDefinition.run(hash, document, textHash(document));
  }

  #write(head: Head, bodies: readonly EventBody[], at: number): readonly JournalEvent[] {
    if (bodies.length === 0) return [];
    this.#charges.charge(head.account, bodies);
    head.before = undefined;
    const { run } = head;
    const first = head.seq + 1;
    const record = { seq: first, events: bodies.length, at, version: eventVersion, body: JSON.stringify(bodies) };
    const hash = chain(head.hash, run, record);
    this.#hash.write(hash, "hex");
    this.#insertRecord.get(head.id, first, record.events, at, record.version, this.#hash, record.body);
    this.#places.appended();
    head.seq += bodies.length;
    head.hash = hash;
    this.#keepStatus(head, bodies, at);
    return bodies.map((body, i) => ({ run, seq: first + i, at, hash, body }));
  }

  #keepStatus(head: Head, bodies: readonly EventBody[], at: number): void {
    const before = head.status;
    for (const body of bodies) {
      head.status = statusAfter(head, body);
      if (body.type === "run.resumed" && body.accepted !== undefined)
        this.#setDefinition.run(body.accepted.contentHash, head.id);
      if (body.type !== "run.finished") continue;
      this.#setStatus.run(body.status, body.reason ?? null, at, head.id);
      this.#deleteMessages.run(head.run);
      this.#heads.delete(head.run);
      return;
    }
    const reason = head.status === "waiting" ? pauseOf(head) : null;
    if (head.status !== before || reason !== null) this.#setStatus.run(head.status, reason, null, head.id);
  }

  #headOf(run: string): Head | Conflict {
    const known = this.#heads.get(run);
    if (known?.verified) return known;
    const row = this.#selectRun.get(run);
    if (row === undefined) return { conflict: "finished", what: `there is no run ${run}` };
    const stands = runOf(row);
    if (stands.endedAt !== null) return hasEnded(stands);
    if (!this.#ports.isSame(ownerOf(row), this.#ports.self)) {
      this.#heads.delete(run);
      return ownedBy(run, stands.owner);
    }
    if (known !== undefined) {
      known.verified = true; // only an owner appends, so nothing else can have changed
      return known;
    }
    const tail = this.#reader.tail(Number(row["id"]), run);
    return this.#newHead(Number(row["id"]), stands, tail.seq, tail.hash);
  }

  #newHead(id: number, of: Pick<NewRun, "run" | "taskId" | "blueprint" | "parent">, seq: number, hash: string): Head {
    const { run } = of;
    const head: Head = {
      id,
      run,
      account: accountOf(of),
      seq,
      hash,
      status: "running",
      verified: true,
      standing: new Standing(),
      before: undefined,
    };
    this.#heads.set(run, head);
    return head;
  }
}

/** Where the passes of a run are counted. */
function accountOf({ taskId, blueprint, parent }: Pick<NewRun, "taskId" | "blueprint" | "parent">): Account {
  return { taskId, blueprint: parent?.blueprint ?? blueprint, path: parent?.path ?? "" };
}

function hasEnded({ run, status }: RunRow): Conflict {
  return { conflict: "finished", what: `run ${run} has ended: ${status}` };
}

function ownedBy(run: string, owner: ProcessIdentity): Conflict {
  return { conflict: "owner", what: `run ${run} is executed by process ${owner.pid}` };
}
