import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";
import { Speech } from "./speech.ts";

test("all that is said is emitted, in order, and no character is cut in two", () => {
  const chunk = fc.record({
    type: fc.constantFrom("text" as const, "thinking" as const),
    text: fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constant("x".repeat(limits.textEventCharacters - 1)),
      fc.constant("😀"),
      fc.constant("a\nb"),
    ),
  });
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const events: AgentEvent[] = [];
      const speech = new Speech((event) => void events.push(event));
      // Halves of a pair come in pieces of their own.
      for (const { type, text } of chunks) for (const unit of text.split("")) speech.say(type, unit);
      speech.flush();
      const said = (type: string): string =>
        events.flatMap((event) => (event.type === type && "text" in event ? [event.text] : [])).join("");
      for (const type of ["text", "thinking"]) {
        expect(said(type)).toBe(chunks.flatMap((one) => (one.type === type ? [one.text] : [])).join(""));
      }
      expect(events.every((event) => "text" in event && event.text.isWellFormed())).toBe(true);
    }),
  );
});

test("a long text comes line by line", () => {
  const events: AgentEvent[] = [];
  const speech = new Speech((event) => void events.push(event));
  speech.say("text", `first\n${"x".repeat(limits.textEventCharacters)}`);
  expect(events).toEqual([{ type: "text", text: "first\n" }]);
});
