import { afterAll, describe, expect, test } from "vitest";
import { type Journaled, Site } from "./harness.ts";

const sites: Site[] = [];
afterAll(() => Promise.all(sites.map((site) => site.remove())));

/** A map in a map; each innermost step leaves its name in the log. */
const document = `name: nested
nodes:
  list: {type: script, idempotent: true, run: "echo '[1, 2]'", output: json}
  each:
    type: map
    over: "{list}"
    do:
      entry: pair
      nodes:
        pair: {type: script, idempotent: true, run: 'echo "[$N, 7]"', output: json, env: {N: "{item}"}}
        deep: {type: map, over: "{pair}", do: {type: script, run: 'echo "$N in $P" >> log', env: {N: "{item}", P: "{pair}"}}}
      edges: [{from: pair, when: success, to: deep}]
  last: {type: script, run: echo last >> log}
edges: [{from: list, when: success, to: each}, {from: each, when: success, to: last}]
`;
const all = ["1 in [1, 7]", "7 in [1, 7]", "2 in [2, 7]", "7 in [2, 7]", "last"];

function newSite(): Site {
  const site = new Site();
  sites.push(site);
  return site;
}

/** Goes on until the run is over; a step of which nobody knows is taken as done. */
async function goOn(site: Site, run: string): Promise<string> {
  for (let tries = 0; tries < 4; tries += 1) {
    const [stored] = await site.journaled();
    if (stored?.row.endedAt !== null && stored?.row.status !== "needs_attention") return stored?.row.status ?? "";
    const [, node] = /^(\S+): /.exec(stored.row.reason ?? "") ?? [];
    await site.resume(run, undefined, node === undefined ? [] : ["settle", node, "done"]);
  }
  return "it did not end";
}

describe.concurrent("an engine killed at a boundary of a run inside a run inside a run", () => {
  const commits = [6, 9, 12, 15, 18];

  test.each(commits)("after:%i goes on to the end, and does nothing twice", async (n) => {
    const site = newSite();
    const died = await site.start(document, `after:${n}`);
    expect(died.signal).toBe("SIGKILL");
    const [stored] = await site.journaled();
    if (stored === undefined) throw new Error("the first commit opens the run");
    expect(await goOn(site, stored.row.run)).toBe("succeeded");
    const done = site.done();
    expect(done).toEqual([...new Set(done)]);
    // What was claimed and never begun is missing at most once: where the engine died between the two.
    expect(all.filter((name) => !done.includes(name)).length).toBeLessThanOrEqual(1);
  });

  test("an undisturbed run makes more commits than the cases cut at", async () => {
    const site = newSite();
    const { lines } = await site.start(document);
    expect(lines.at(-1)).toMatchObject({ status: "succeeded" });
    expect(lines.at(-2)?.["commits"]).toBeGreaterThan(Math.max(...commits));
    expect(site.done()).toEqual(all);
  });
});

/** The innermost step kills its engine once, so that nobody knows what became of it. */
const killing = `name: killing
nodes:
  list: {type: script, idempotent: true, run: "echo '[1]'", output: json}
  each: {type: map, over: "{list}", do: {type: map, over: "{list}", do: {type: script, run: "[ -e died ] || { touch died; kill -9 $PPID; exec sleep 60; }; echo did >> log"}}}
edges: [{from: list, when: success, to: each}]
`;
const path = "each[0]/do[0]/do";

describe.concurrent("an engine killed while it hands a decision on to a run inside a run inside a run", () => {
  const cuts = ["before:3", "after:4", "before:8"];

  test.each(cuts)("%s: it is taken once there, and none is taken twice", async (cut) => {
    const site = newSite();
    await site.start(killing);
    const [first] = await site.journaled();
    const run = first?.row.run ?? "";
    await site.resume(run);
    const settled = await site.resume(run, cut, ["settle", path, "again"]);
    expect(settled.signal).toBe("SIGKILL");
    expect(await goOn(site, run)).toBe("succeeded");
    expect(site.done().length).toBeLessThanOrEqual(1);
    const inside: Journaled[] = [];
    for (let around = run; inside.length < 2; around = inside.at(-1)?.row.run ?? "")
      inside.push(...(await site.journaled(around)));
    for (const { events } of inside) {
      const ids = events.flatMap(({ body }) => (body.type === "node.settled" ? (body.id ?? []) : []));
      expect(ids.length).toBeGreaterThan(0);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });
});
