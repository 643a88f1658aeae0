import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simpleCommands } from "./command.ts";

function words(text: string): readonly (readonly string[])[] | null {
  return (
    simpleCommands(text)?.map((command) => command.map((word) => (word.open ? `~${word.text}` : word.text))) ?? null
  );
}

describe("understood", () => {
  test.each([
    ["npm test", [["npm", "test"]]],
    ["  git   status  ", [["git", "status"]]],
    ["a | b && c || d; e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["a\nb\n", [["a"], ["b"]]],
    ["a |& b", [["a"], ["b"]]],
    ["echo 'a | b' \"c && d\" e\\ f", [["echo", "a | b", "c && d", "e f"]]],
    ['echo "say \\"hi\\" for \\$5"', [["echo", 'say "hi" for $5']]],
    ["npm test 2>&1 >/dev/null | tail", [["npm", "test"], ["tail"]]],
    ["ls *.ts a{b,c}", [["ls", "~*.ts", "~a{b,c}"]]],
    ["echo é😀", [["echo", "é😀"]]],
    ["make a#b", [["make", "a#b"]]],
    ["git\u00a0push \rx", [["git\u00a0push", "\rx"]]],
  ])("%s", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });
});

describe("not certain, so not understood", () => {
  test.each([
    ["an expansion", "echo $HOME"],
    ["an expansion in quotes", 'echo "$HOME"'],
    ["a substitution", "echo $(rm -rf .)"],
    ["backticks", "echo `rm -rf .`"],
    ["backticks in quotes", 'echo "`rm -rf .`"'],
    ["a process substitution", "diff <(a) b"],
    ["a subshell", "(cd x; rm y)"],
    ["a group", "{ rm y; }"],
    ["a redirection to a file", "echo x > ~/.bashrc"],
    ["an appending redirection", "echo x >> file"],
    ["a redirection hidden in a word", "echo x>file"],
    ["a look-alike of /dev/null", "echo x > /dev/nullx"],
    ["a here-document", "sh <<E\nrm y\nE"],
    ["an assignment", "PATH=. git status"],
    ["a loop", "for f in a; do rm $f; done"],
    ["a negation", "! git push"],
    ["a comment", "# git status"],
    ["an open quote", "echo 'a"],
    ["an open double quote", 'echo "a'],
    ["a trailing backslash", "echo a\\"],
    ["a program made by a pattern", "/bin/r? x"],
    ["an empty pipe member", "a | | b"],
    ["nothing", "  "],
    ["a zero byte", "echo a\0b"],
    ["a very long text", `echo ${"a".repeat(100_000)}`],
  ])("%s", (_name, text) => {
    expect(words(text)).toBeNull();
  });
});

test("quoted words come back as they were, whatever is in them", () => {
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((word) => !word.includes("\0")),
        { minLength: 1, maxLength: 4 },
      ),
      (list) => {
        const command = simpleCommands(["run", ...list.map(quote)].join(" "));
        expect(command).toEqual([["run", ...list].map((text) => ({ text, open: false }))]);
      },
    ),
  );
});

test("any text is read to its end or refused", () => {
  const piece = fc.constantFrom(
    "a",
    "git",
    " ",
    "\n",
    "\r",
    "\u2003",
    "|",
    "||",
    "&",
    ";",
    "'",
    '"',
    "\\",
    "$",
    "`",
    ">",
    "2>&1",
    "#",
    "(",
    "*",
    "=",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      for (const command of simpleCommands(pieces.join("")) ?? []) expect(command.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});
