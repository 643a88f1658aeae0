import { afterAll, describe, expect, test } from "vitest";
import { unfinishedIn } from "./claims.ts";
import { five, Site, type Journaled } from "./harness.ts";

/** One commit opens the run; each node has one for its process and one for its outcome and the next claim. */
const commitsOfFive = 1 + 5 * 2;
const names = ["a", "b", "c", "d", "e"];

const sites: Site[] = [];
afterAll(() => Promise.all(sites.map((site) => site.remove())));

function newSite(): Site {
  const site = new Site();
  sites.push(site);
  return site;
}

/** The one run of a site, whole: numbered without a gap, chained, and with every event that anybody was told of. */
async function wholeRun(site: Site): Promise<Journaled> {
  const [run, ...others] = await site.journaled();
  if (run === undefined || others.length > 0) throw new Error("not one run");
  const { events } = run;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  const stored = new Set(events.map((event) => `${event.run} ${event.seq} ${event.hash}`));
  expect(site.told().filter((line) => !stored.has(line))).toEqual([]);
  return run;
}

function times(site: Site, name: string): number {
  return site.done().filter((done) => done === name).length;
}

test("an undisturbed run of five nodes makes the commits that the cases below cut at", async () => {
  const site = newSite();
  const { lines } = await site.start(five());
  expect(lines).toMatchObject([{}, { commits: commitsOfFive }, { status: "succeeded" }]);
  expect(site.done()).toEqual(names);
});

describe.concurrent("an engine killed at a boundary of the journal", () => {
  const boundaries = Array.from({ length: commitsOfFive }, (_, i) => i + 1).flatMap((n) => [
    `before:${n}`,
    `after:${n}`,
  ]);
  const [first = "", ...later] = boundaries;
  const last = later.pop() ?? "";

  test(`${first} leaves no run and has done nothing`, async () => {
    const site = newSite();
    expect(await site.start(five(), first)).toMatchObject({ signal: "SIGKILL" });
    expect(await site.journaled()).toEqual([]);
    expect(site.done()).toEqual([]);
  });

  test(`${last} leaves a run that is over`, async () => {
    const site = newSite();
    expect(await site.start(five(), last)).toMatchObject({ signal: "SIGKILL" });
    const { row } = await wholeRun(site);
    expect(row.status).toBe("succeeded");
    expect((await site.resume(row.run)).lines.at(-1)).toMatchObject({ refused: "finished" });
    expect(site.done()).toEqual(names);
  });

  test.each(later)("%s loses nothing it told, and nothing is done twice when the run goes on", async (at) => {
    const site = newSite();
    expect(await site.start(five(), at)).toMatchObject({ signal: "SIGKILL" });
    const { row, events } = await wholeRun(site);
    expect(row.status).toBe("interrupted");
    // Between any two commits of a sequential run one node is claimed, and nobody can know whether it was done.
    const [claimed = "", ...more] = unfinishedIn(events);
    expect(more).toEqual([]);
    const resumed = await site.resume(row.run);
    expect(resumed.lines.at(-1)).toMatchObject({ status: "needs_attention", reason: expect.stringContaining(claimed) });
    const settled = await site.resume(row.run, undefined, ["settle", claimed, "done"]);
    expect(settled.lines.at(-1)).toMatchObject({ status: "succeeded" });
    await wholeRun(site);
    expect(site.done().filter((name) => name !== claimed)).toEqual(names.filter((name) => name !== claimed));
    expect(times(site, claimed)).toBeLessThanOrEqual(1);
  });

  test.each(["after:3", "before:6", "after:9"])("%s goes on by itself where the author allows a replay", async (at) => {
    const site = newSite();
    await site.start(five(", idempotent: true"), at);
    const crashed = await wholeRun(site);
    const replayed = unfinishedIn(crashed.events);
    const resumed = await site.resume(crashed.row.run);
    expect(resumed.lines.at(-1)).toMatchObject({ status: "succeeded" });
    const { events } = await wholeRun(site);
    const settled = events.flatMap(({ body }) => (body.type === "node.settled" ? [[body.node, body.as, body.by]] : []));
    expect(settled).toEqual(replayed.map((name) => [name, "again", "idempotent"]));
    const most = names.map((name) => (replayed.includes(name) ? 2 : 1));
    const wrong = names.filter((name, i) => times(site, name) < 1 || times(site, name) > (most[i] ?? 0));
    expect(wrong).toEqual([]);
  });

  // A resume commits that it takes over, and then what it found, which here is its end.
  test.each([
    ["before:1", { status: "needs_attention" }],
    ["after:1", { status: "needs_attention" }],
    ["before:2", { status: "needs_attention" }],
    ["after:2", { refused: "finished" }],
  ])("%s of a resume is resumed in turn", async (at, answer) => {
    const site = newSite();
    await site.start(five(), "after:5");
    const { run } = (await wholeRun(site)).row;
    expect(await site.resume(run, at)).toMatchObject({ signal: "SIGKILL" });
    expect((await site.resume(run)).lines.at(-1)).toMatchObject(answer);
    expect((await wholeRun(site)).row.status).toBe("needs_attention");
    expect(site.done().length).toBe(new Set(site.done()).size);
  });
});
