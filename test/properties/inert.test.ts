import fc from "fast-check";
import { expect, test } from "vitest";
import { take } from "../../src/engine/reduce.ts";
import { snapshot } from "../../src/engine/snapshot.ts";
import { initial, type RunState } from "../../src/engine/state.ts";
import { compile, nodeIndex } from "../../src/graph/plan.ts";
import type { Attempt } from "../../src/model/attempt.ts";
import type { EventBody } from "../../src/model/events.ts";
import { drive } from "./driver.ts";
import { type Hazard, hazards } from "./worlds.ts";

/** All that the world may say of an attempt, each as often late as in time. */
function said(of: Attempt): readonly EventBody[] {
  const [text, digest] = ["late", "d"];
  return [
    { type: "node.ended", ...of, result: { outcome: "success" } },
    { type: "node.ended", ...of, result: { outcome: "error", beforeEffect: true } },
    { type: "node.unconfirmed", ...of, reason: { code: "crash", text } },
    { type: "node.settled", ...of, as: "done", by: text },
    { type: "node.settled", ...of, as: "again", by: text },
    { type: "node.retrying", ...of, result: { outcome: "error" }, delayMs: 1 },
    { type: "retry.due", ...of },
    { type: "node.waiting", ...of, waits: true },
    { type: "node.waiting", ...of, waits: false },
    { type: "gate.opened", ...of, mode: "input", prompt: text, digest },
    { type: "gate.answered", ...of, by: text, digest, answer: text },
    { type: "agent.progressed", ...of, event: { type: "text", text } },
  ];
}

/** The run as it stood after a part of its events. */
function midway({ blueprint, world }: Hazard, part: number): { state: RunState; attempts: readonly Attempt[] } {
  const { events, times } = drive(blueprint, world);
  const state = initial(compile(blueprint));
  const until = Math.floor(events.length * part);
  const attempts: Attempt[] = [];
  for (const [index, event] of events.slice(0, until).entries()) {
    take(state, event, times[index] ?? 0);
    if (event.type === "node.started") attempts.push(event);
  }
  return { state, attempts };
}

/** Those of the events that change something. */
function taken(state: RunState, events: readonly EventBody[]): readonly EventBody[] {
  const before = JSON.stringify(snapshot(state));
  return events.filter((event) => take(state, event, 0) || JSON.stringify(snapshot(state)) !== before);
}

const moments = fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100);

test("what is said of another attempt than the latest changes nothing: neither its end, nor its timers, nor a decision", () => {
  fc.assert(
    fc.property(hazards, moments, (hazard, part) => {
      const { state, attempts } = midway(hazard, part);
      const others = attempts.flatMap(({ node, pass, attempt }) => [
        { node, pass, attempt },
        { node, pass: pass - 1, attempt },
        { node, pass: pass + 7, attempt },
        { node, pass, attempt: attempt + 7 },
      ]);
      const late = others.filter(({ node, pass, attempt }) => {
        const at = nodeIndex(state.plan, node);
        const now = state.pass[at] ?? 0;
        // The next pass may be settled before it starts, where a limit refused it.
        return pass !== now + 1 && (now !== pass || state.attempt[at] !== attempt);
      });
      expect(taken(state, late.flatMap(said))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("nor does anything that is said of a node that the graph has not", () => {
  fc.assert(
    fc.property(hazards, moments, (hazard, part) => {
      const { state } = midway(hazard, part);
      const before = snapshot(state);
      const gone = { node: "gone", pass: 1, attempt: 1 };
      const others: readonly EventBody[] = [
        { type: "node.started", ...gone, step: 1, from: [] },
        { type: "node.queued", node: "gone", pass: 1, step: 1, from: [] },
        { type: "node.skipped", node: "gone", from: [], reason: { code: "lost_join", text: "" } },
      ];
      expect(taken(state, [...said(gone), ...others])).toEqual([]);
      const arrivals = ["a", "b"].flatMap((id) => [
        { from: "gone", to: id },
        { from: id, to: "gone" },
      ]);
      take(state, { type: "arrivals.superseded", by: "a", arrivals }, 0);
      expect({ ...snapshot(state), workingSince: null }).toEqual({ ...before, workingSince: null });
    }),
    { numRuns: 300 },
  );
});
