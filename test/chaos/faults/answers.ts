import { gateCase } from "../cases.ts";
import { inParallel } from "../chances.ts";
import { examine, type Figures, nothing, sum } from "../figures.ts";
import { Site } from "../site.ts";

/** Two answers to one gate at once, as often as that: one is taken, the other is told that it was late. */
export async function answers(rounds: number): Promise<Figures> {
  using site = new Site();
  const works = Array.from({ length: rounds }, (_, i) => site.work(gateCase, `work-${i}`));
  const wrong = await inParallel(works, 2, async (work) => {
    await site.trammel(work, ["run", "t", "-b", "b.yaml", "--detach", "--json"]);
    const run = (await site.stored()).find(({ row }) => row.cwd === work)?.row.run ?? "";
    const both = await Promise.all([1, 2].map(() => site.trammel(work, ["answer", run, "ask", "yes", "--json"])));
    const [first, second] = both.toSorted((a, b) => Number(a.code) - Number(b.code));
    const ok = first?.code === 0 && second?.code === 2 && second.stderr.startsWith("trammel: ");
    return ok ? [] : [`two answers at once: ${first?.code} ${first?.stderr}, ${second?.code} ${second?.stderr}`];
  });
  const found = await examine(site, new Map(works.map((work) => [work, gateCase])));
  return sum([found, { ...nothing, cases: rounds, wrong: wrong.flat() }]);
}
