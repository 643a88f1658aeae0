import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealOf, textOf } from "../../src/cli/receipt/text.ts";
import { makeReceipt } from "../../src/cli/receipt/make.ts";
import { verifyReceipt } from "../../src/cli/receipt/verify.ts";
import { chain, genesis } from "../../src/hosts/embedded/chain.ts";
import type { JournalReader } from "../../src/ports/journal.ts";
import { type Receipt, receiptShape } from "../../src/wire/receipt.ts";
import { blueprint, plain } from "./blueprints.ts";
import { bodies, handle, request, World } from "./harness.ts";
import { callees, calling, mapping, said } from "./inside.ts";

type Inside = NonNullable<Receipt["inside"]>[number];
type Journal = Receipt["journal"];

let world: World;
let receipt: Receipt;
let inside: readonly Inside[];

/** Two calls of a map of three, so that runs stand beside and inside each other. */
beforeAll(async () => {
  world = new World();
  const edges = [{ from: "list", to: "each", when: "success" }] as const;
  const middle = { ...blueprint([plain("list"), mapping("each")], edges), name: "middle" };
  const top = blueprint([calling("one", "middle"), calling("two", "middle")], [{ from: "one", to: "two" }]);
  const hashes = { contentHash: "a".repeat(64), bindingHash: "b".repeat(64) };
  const engine = world.engine({ list: () => said("[1, 2, 3]"), do: () => said("done") });
  const of = request(top, { ...hashes, callees: callees({ middle }) });
  const running = handle(await engine.start(of, world.observer));
  await running.end;
  receipt = await receiptOf(world.journal(), running.run);
  inside = receipt.inside ?? [];
});
afterAll(() => world.remove());

async function receiptOf(journal: JournalReader, run: string): Promise<Receipt> {
  const row = journal.find(run);
  const text = row === null ? null : await makeReceipt(journal, row, () => true);
  if (text === null) throw new Error("no receipt was made");
  return receiptShape.parse(JSON.parse(text));
}

/** Where verification finds fault with a receipt that was sealed anew, null where it does not. */
async function fault(change: Partial<Receipt>): Promise<string | null> {
  const { seal: _, ...fields } = { ...receipt, ...change };
  const verified = await verifyReceipt(Buffer.from(textOf({ ...fields, seal: sealOf(fields) })));
  return "place" in verified ? verified.place : null;
}

const pick = fc.nat().map((n) => n % 8);
const ofInside = (i: number): Inside => {
  const one = inside[i % inside.length];
  if (one === undefined) throw new Error("nothing runs inside");
  return one;
};
const replaced = (old: Inside, by: readonly Inside[]): readonly Inside[] =>
  inside.flatMap((one) => (one === old ? by : [one]));

/** Chained anew over whatever its records are, as somebody would who knows how that is done. */
function rechained(run: string, records: Journal["records"]): Journal {
  let hash = genesis;
  const own = records.map((record) => ({ ...record, hash: (hash = chain(hash, run, record)) }));
  const last = own.at(-1);
  return { head: { seq: last === undefined ? 0 : last.seq + last.events - 1, hash }, records: own };
}

describe("a receipt of a run with runs inside", () => {
  test("holds them all, and fits", async () => {
    expect(inside.map(({ path }) => path)).toEqual(
      ["one", "two"].flatMap((call) => [call, ...[0, 1, 2].map((item) => `${call}/each[${item}]`)]),
    );
    expect([receipt.status, await fault({})]).toEqual(["succeeded", null]);
  });

  test("tells of each that was left out, with what runs inside it or without", () =>
    fc.assert(
      fc.asyncProperty(pick, fc.boolean(), async (i, deep) => {
        const gone = ofInside(i);
        const left = inside.filter((one) => one !== gone && !(deep && one.path.startsWith(`${gone.path}/`)));
        expect(await fault({ inside: [...left] })).not.toBe(null);
      }),
    ));

  test("tells of all of them left out", async () => {
    expect(await fault({ inside: [] })).toBe("journal");
    const { inside: _, ...rest } = receipt;
    const { seal: __, ...fields } = rest;
    const verified = await verifyReceipt(Buffer.from(textOf({ ...fields, seal: sealOf(fields) })));
    expect(verified).toMatchObject({ place: "journal", problem: expect.stringContaining("0 are here, of 1") });
  });

  test("tells of each whose end was cut off, though chained and sealed anew", () =>
    fc.assert(
      fc.asyncProperty(pick, fc.nat(), async (i, n) => {
        const old = ofInside(i);
        const { records } = old.journal;
        const cut = { ...old, journal: rechained(old.run, records.slice(0, 1 + (n % (records.length - 1)))) };
        expect(await fault({ inside: [...replaced(old, [cut])] })).not.toBe(null);
      }),
    ));

  test("tells of an event that was taken out or changed, though chained and sealed anew", () =>
    fc.assert(
      fc.asyncProperty(pick, fc.nat(), fc.boolean(), async (i, n, out) => {
        const old = ofInside(i);
        const at = n % old.journal.records.length;
        const records = old.journal.records.flatMap((record, index) => {
          if (index !== at) return [record];
          return out ? [] : [{ ...record, at: record.at + 1 }];
        });
        const forged = { ...old, journal: rechained(old.run, records) };
        expect(await fault({ inside: [...replaced(old, [forged])] })).not.toBe(null);
      }),
    ));

  test("tells of two that were swapped, and of one that stands there twice", () =>
    fc.assert(
      fc.asyncProperty(pick, pick, async (i, j) => {
        const [a, b] = [ofInside(i), ofInside(j)];
        expect(await fault({ inside: [...replaced(a, [a, b])] })).not.toBe(null);
        if (a === b) return;
        const swapped = inside.map((one) => (one === a ? { ...a, journal: b.journal } : one));
        expect(await fault({ inside: swapped })).not.toBe(null);
      }),
    ));

  test("tells of each bit that was flipped in what runs inside recorded, though sealed anew", () =>
    fc.assert(
      fc.asyncProperty(pick, fc.nat(), fc.nat(), async (i, r, c) => {
        const old = ofInside(i);
        const at = r % old.journal.records.length;
        const records = old.journal.records.map((record, index) => {
          if (index !== at) return record;
          const body = Buffer.from(record.body);
          const byte = c % body.length;
          body[byte] = (body[byte] ?? 0) ^ 1;
          return { ...record, body: body.toString("latin1") };
        });
        const flipped = { ...old, journal: { ...old.journal, records } };
        expect(await fault({ inside: [...replaced(old, [flipped])] })).not.toBe(null);
      }),
    ));

  test("says of a journal from before that it would not notice, and fits", async () => {
    const records = receipt.journal.records.map((record) => ({
      ...record,
      body: record.body.replaceAll(/,"heads":\{[^}]*\}/g, ""),
    }));
    const { seal: _, ...fields } = { ...receipt, journal: rechained(receipt.run, records) };
    const verified = await verifyReceipt(Buffer.from(textOf({ ...fields, seal: sealOf(fields) })));
    expect(verified).toMatchObject({ notes: expect.arrayContaining([expect.stringContaining("inside one, two:")]) });
    expect(bodies(world.seen, "node.ended").filter(({ heads }) => heads !== undefined)).toHaveLength(2);
  });
});
