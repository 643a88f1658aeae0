import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { whatIfShape } from "../../src/wire/replay.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

const choice = (options: string): string => `{type: human, mode: choice, prompt: "Which?", options: [${options}]}`;
const decide = (about: string, options: string, more = ""): string =>
  `{type: decide, question: "Which?", about: "${about}", options: {${options}}, by: [rules]${more}}`;
const byKind = "bug: {match: {pointer: /kind, value: bug}}, feature: {match: feature}";
const byNumber = 'odd: {match: "[13579]$"}, even: {match: "[02468]$"}';

/** `pick` and, in a map, `one` choose; `look` says a lot where it says `more`. */
function triage(pick: string, one: string, more = ""): string {
  return `name: triage
inputs: {key: {type: string, sensitive: true, default: none}}
entry: look
nodes:
  look: {type: script, run: "echo '{\\"kind\\": \\"bug\\"}'${more}", output: json}
  pick: ${pick}
  fix: {type: script, run: echo fix}
  plan: {type: script, run: echo plan}
  list: {type: script, run: "echo '[1, 2]'", output: json}
  each: {type: map, over: "{list}", do: {entry: one, nodes: {one: ${one}, odd: {type: script, run: echo odd}, even: {type: script, run: echo even}}, edges: [{from: one, when: odd, to: odd}, {from: one, when: even, to: even}]}}
edges:
  - {from: look, when: success, to: pick}
  - {from: pick, when: bug, to: fix}
  - {from: pick, when: feature, to: plan}
  - {from: [fix, plan], when: success, to: list}
  - {from: list, when: success, to: each}
`;
}

/** A run in which a person chose `feature`, and `odd` for both items. */
async function chosen(place: Place, more = ""): Promise<string> {
  place.file("old.yaml", triage(choice("bug, feature"), choice("odd, even"), more));
  const run = String(lastLine(await trammel(["run", "-b", "old.yaml", "--detach", "--json"], { place }))["run"]);
  await trammel(["answer", run, "pick", "feature"], { place });
  await trammel(["answer", run, "each[0]/one", "odd"], { place });
  expect((await trammel(["answer", run, "each[1]/one", "odd"], { place })).code).toBe(0);
  return run;
}

async function tried(place: Place, run: string, document: string) {
  place.file("new.yaml", document);
  const text = await trammel(["replay", run, "--with", "new.yaml"], { place });
  const json = await trammel(["replay", run, "--with", "new.yaml", "--json"], { place });
  expect([text.code, text.stderr, json.code]).toEqual([0, "", 0]);
  return { text: text.stdout, seen: whatIfShape.parse(JSON.parse(json.stdout)) };
}

it("judges the rules of another blueprint by what was recorded, in a map too, and routes by them", async () => {
  using place = new Place();
  const run = await chosen(place);
  const { text, seen } = await tried(place, run, triage(decide("{look}", byKind), decide("{item}", byNumber)));
  expect(seen.decisions).toEqual([{ node: "pick", pass: 1, before: "feature", after: "bug", guess: null }]);
  expect(seen.starts).toEqual([
    { node: "fix", before: 0, after: 1 },
    { node: "plan", before: 1, after: 0 },
  ]);
  expect([seen.assumed, seen.changed]).toEqual([["fix"], []]);
  expect(seen.inside).toMatchObject([
    { path: "each[1]", decisions: [{ node: "one", before: "odd", after: "even", guess: null }], assumed: ["even"] },
  ]);
  expect(text).toContain("\n  pick decides feature → bug\n");
  expect(text).toContain("\n  each[1]/one decides odd → even\n");
});

it("says that nothing fits, escalates where no edge takes that, and tells nothing of what does not run then", async () => {
  using place = new Place();
  const run = await chosen(place);
  const none = decide("{look}", "bug: {match: crash}, feature: {match: feature}");
  const { seen } = await tried(place, run, triage(none, decide("{item}", byNumber)));
  expect(seen).toMatchObject({
    after: { status: "escalated" },
    decisions: [{ node: "pick", before: "feature", after: "other", guess: null }],
    inside: [],
  });
});

it("says of a decision about what was not recorded that it is a guess, and why", async () => {
  using place = new Place();
  const more = "; seq 1 9000 | sed 's/.*/ /'"; // white space after it, so that it is kept as a file of its own
  const run = await chosen(place, more);
  const guesses: readonly (readonly [string, string])[] = [
    [
      triage(decide("{inputs.key}", byKind), choice("odd, even"), more),
      "{inputs.key} is sensitive, so it was not recorded",
    ],
    [
      triage(decide("{asked}", byKind), choice("odd, even"), more)
        .replace("nodes:", "nodes:\n  asked: {type: script, run: echo bug}")
        .replace(
          "{from: look, when: success, to: pick}",
          "{from: look, when: success, to: asked}\n  - {from: asked, when: success, to: pick}",
        ),
      "what asked would say was not recorded",
    ],
  ];
  for (const [document, guess] of guesses) {
    const { seen, text } = await tried(place, run, document);
    expect(seen.decisions).toEqual([{ node: "pick", pass: 1, before: "feature", after: "feature", guess }]);
    expect(text).toContain(`\n  pick decides feature, a guess: ${guess}\n`);
  }
  const whole = triage(decide("{look.stdout}", "bug: {match: bug}, feature:"), choice("odd, even"), more);
  expect((await tried(place, run, whole)).seen.decisions).toMatchObject([{ after: "bug", guess: null }]);
  const blobs = join(place.home, "blobs");
  expect(readdirSync(blobs)).not.toEqual([]);
  rmSync(blobs, { recursive: true });
  const { seen } = await tried(place, run, whole);
  expect(seen.decisions).toMatchObject([{ after: "feature", guess: "the output of look is kept no more" }]);
});

it("leaves what rules do not decide to what was recorded, where a model might be asked", async () => {
  using place = new Place();
  const run = await chosen(place);
  const asking = decide("{look}", "bug: {match: crash}, feature:").replace("by: [rules]", "by: [rules, model]");
  const { seen } = await tried(place, run, triage(asking, choice("odd, even")));
  expect([seen.decisions, seen.starts, seen.changed]).toEqual([[], [], ["pick"]]);
});
