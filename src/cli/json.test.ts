import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonLine } from "./json.ts";

it("keeps every value and holds nothing that a terminal obeys", () => {
  const character = fc.integer({ min: 0, max: 0x20ff }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      const line = jsonLine({ [text]: text });
      expect(JSON.parse(line)).toEqual({ [text]: text });
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});
