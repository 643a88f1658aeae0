import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { fileBlobs } from "../blobs/files.ts";
import { Capture } from "./capture.ts";
import { WholeCharacters } from "./characters.ts";
import { Tail } from "./tail.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "trammel-capture-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Cuts bytes where the sizes say, over and over. */
function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = [];
  for (let at = 0, next = 0; at < bytes.length; next += 1) {
    const size = sizes[next % sizes.length] ?? 1;
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 });
const characters = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n"), minLength: 1, maxLength: 50 });

test("whole characters: nothing is lost, added, or cut, in whatever pieces bytes come", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        characters.map((text) => new Uint8Array(Buffer.from(text))),
      ),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (bytes, small) => {
        const whole = new WholeCharacters();
        const out = [...pieces(bytes, small).map((piece) => Buffer.from(whole.write(piece))), Buffer.from(whole.end())];
        expect(Buffer.concat(out)).toEqual(Buffer.from(bytes));
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        expect(out.map((piece) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(piece)).join("")).toBe(text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a tail is the end of what was pushed", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.uint8Array({ maxLength: 70 })),
      fc.nat(60),
      (capacity, pushed, count) => {
        const tail = new Tail(capacity);
        for (const bytes of pushed) tail.push(bytes);
        const all = Buffer.concat(pushed);
        const expected = all.subarray(Math.max(0, all.length - Math.min(count, capacity)));
        expect(tail.last(count)).toEqual(Buffer.from(expected));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a capture keeps beginning and end within its limit, all of it where it fits, and cuts no character", async () => {
  const blobs = fileBlobs(folder);
  await fc.assert(
    fc.asyncProperty(
      characters,
      fc.integer({ min: 1, max: 4_000 }),
      sizes,
      fc.integer({ min: 1, max: 200_000 }),
      async (unit, repeat, cuts, limit) => {
        const text = unit.repeat(repeat);
        const bytes = Buffer.from(text);
        const whole = new WholeCharacters();
        const capture = new Capture(blobs, limit);
        for (const piece of pieces(bytes, cuts)) capture.write(whole.write(piece));
        const captured = await capture.finish();
        const blob = captured.blob === undefined ? null : await blobs.get(captured.blob);
        const kept = blob === null ? captured.text : Buffer.from(blob).toString();
        expect(captured.bytes).toBe(bytes.length);
        expect(captured.cut ?? false).toBe(bytes.length > limit);
        expect(Buffer.byteLength(captured.text)).toBeLessThanOrEqual(limits.inlineValueBytes);
        expect(kept.endsWith(captured.text)).toBe(true);
        const [head = "", end = ""] = kept.split(/\n\[… \d+ bytes cut; limits\.output keeps more …\]\n/);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(captured.cut === true ? end : head)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(end)).toBeLessThanOrEqual(Math.max(limit, 1));
      },
    ),
    { numRuns: 150 },
  );
});
