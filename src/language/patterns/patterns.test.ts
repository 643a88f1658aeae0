import fc from "fast-check";
import { expect, test } from "vitest";
import { patternCompiler } from "../../runtime/validation/pattern.ts";
import { parsePattern } from "./expression.ts";
import { matchesWhole } from "./match.ts";
import { leavesPlainText } from "./plain.ts";

const compile = await patternCompiler();
const letter = fc.constantFrom("a", "b", "-", ".", " ", "\n", "\r", "\u00a0", "_", "9", "é", "😀", "/");
const text = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(""));
const atom = fc.constantFrom(
  "a",
  "b",
  "-",
  "_",
  "9",
  ".",
  String.raw`\.`,
  String.raw`\/`,
  String.raw`\d`,
  String.raw`\D`,
  String.raw`\w`,
  String.raw`\W`,
  String.raw`\s`,
  String.raw`\S`,
  "[ab]",
  "[^ab]",
  "[a-z.-]",
  String.raw`[^\s]`,
  String.raw`[\S\n]`,
  String.raw`[\w./-]`,
  "[^]",
  "[]",
  String.raw`\p{L}`,
  String.raw`[\P{Ll}a]`,
  String.raw`[^\p{L}-]`,
  String.raw`\u00e9`,
  String.raw`\u{1F600}`,
  String.raw`\ud83d\ude00`,
  String.raw`\x61`,
  String.raw`\n`,
  String.raw`\b`,
  "^",
  "$",
);
const { pattern } = fc.letrec<{ readonly pattern: string }>((again) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(again("pattern"), again("pattern")).map(([a, b]) => a + b),
    fc.tuple(again("pattern"), again("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(again("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
      .map(([a, b]) => `(?:${a})${b}`),
    again("pattern").map((inside) => `(?<n>${inside})`),
  ),
}));

function isSyntax(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

test("a pattern means what it means in ECMAScript, at the check and in a run", () => {
  fc.assert(
    fc.property(pattern.filter(isSyntax), text, (source, value) => {
      const parsed = parsePattern(source);
      if ("problem" in parsed) throw new Error(`${source} ${parsed.problem}`);
      const whole = new RegExp(`^(?:${source})$`, "u").test(value);
      expect(matchesWhole(parsed.expression, value, { steps: 1_000_000 })).toBe(whole);
      const compiled = compile(source, { whole: true });
      const part = compile(source);
      if ("problem" in compiled || "problem" in part) throw new Error(source);
      expect(compiled.test(value)).toBe(whole);
      expect(part.test(value)).toBe(new RegExp(source, "u").test(value));
    }),
    { numRuns: 700 },
  );
});

test("whatever matches a pattern that leaves plain text is plain", () => {
  fc.assert(
    fc.property(pattern.filter(isSyntax), text, (source, value) => {
      fc.pre(leavesPlainText(`^(?:${source})$`, false) && new RegExp(`^(?:${source})$`, "u").test(value));
      expect(value).toMatch(/^(?:[\w/.][\w./:@+,=-]*)?$/);
      expect(value).not.toContain("..");
    }),
    { numRuns: 100, maxSkipsPerRun: 1_000 },
  );
});

test.each([
  ["^[a-z|]+$", false],
  ["^.*$", false],
  ["^[a-z]+$", true],
  [String.raw`^v\d+(\.\d+){2}$`, true],
  [String.raw`^[\w-]+$`, false],
  [String.raw`^\w[\w-]*$`, true],
  [String.raw`^\w+([./-]\w+)*$`, true],
  [String.raw`^[\w./]+$`, false],
  ["^(?:a|b)$", true],
  ["^a$|^b$", true],
  ["^a|b$", false],
  ["[a-z]+", false],
  [String.raw`^a\$`, false],
  ["^$", true],
  [String.raw`^\S+$`, false],
  [String.raw`^\p{L}+$`, false],
  ["^(?!-)[a-z-]+$", false],
  ["^a{2}[^;]$", false],
] as const)("%s leaves plain text alone: %s", (source, plain) => {
  expect(leavesPlainText(source, false)).toBe(plain);
});

test.each([
  ["(?=a)b", "looks ahead or behind"],
  ["(?<!a)b", "looks ahead or behind"],
  ["(?i:a)", "sets flags"],
  [String.raw`(a)\1`, "refers back to what a group matched"],
  [String.raw`(?<n>a)\k<n>`, "refers back to what a group matched"],
  [String.raw`\p{Script=Greek}`, String.raw`uses \p{Script=Greek}`],
  ["a{2000}", "asks for more than 1000 repetitions"],
  ["(?:a{40}){40}", "asks for more than 1000 repetitions"],
  [`${"a{900}".repeat(3)}`, "or 2000 characters"],
  ["[", "is no regular expression: "],
  ["a".repeat(1_001), "has 1001 characters"],
])("%s is refused: it %s", (source, problem) => {
  expect(parsePattern(source)).toMatchObject({ problem: expect.stringContaining(problem), hint: expect.any(String) });
});

test("a pattern that backtracks without end elsewhere is answered at once", () => {
  const compiled = compile("(?:(a+)+|(a|aa)+)+b", { whole: true });
  if ("problem" in compiled) throw new Error(compiled.problem);
  expect(compiled.test("a".repeat(100_000))).toBe(false);
  expect(compiled.test(`${"a".repeat(100_000)}b`)).toBe(true);
});

test("a match at the check ends when its steps are used up", () => {
  const parsed = parsePattern("(?:(?:(?:a*)*)*)*b");
  if ("problem" in parsed) throw new Error(parsed.problem);
  const budget = { steps: 10_000 };
  expect(matchesWhole(parsed.expression, "a".repeat(20_000), budget)).toBeUndefined();
  expect(budget.steps).toBeLessThanOrEqual(0);
});
