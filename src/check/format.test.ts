import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { toJson, toText } from "./format.ts";
import { toGithub } from "./github.ts";
import { toSarif } from "./sarif.ts";

const text = "name: example\nentry: a\nnodes:\n  a: {type: script, run: npm test}\n  a: {type: script, run: x}\n";
const { diagnostics } = check(text);

test("json has exactly the keys of the machine contract", () => {
  expect(toJson(diagnostics, "b.yaml", text)).toEqual([
    {
      code: "duplicate-key",
      severity: "error",
      file: "b.yaml",
      line: 5,
      column: 3,
      endLine: 5,
      endColumn: 4,
      message: "The key `a` occurs twice in this map",
      hint: "Remove or rename one of the two.",
    },
  ]);
});

describe("text", () => {
  test("has a frame with the place marked, the hint, and what is related", () => {
    expect(toText(diagnostics, "b.yaml", text)).toBe(
      [
        "b.yaml:5:3: The key `a` occurs twice in this map [duplicate-key]",
        "  5 |   a: {type: script, run: x}",
        "    |   ^",
        "  hint: Remove or rename one of the two.",
        "  b.yaml:4:3: first given here",
        "",
      ].join("\n"),
    );
  });

  test("quotes the middle of a long line, with the mark under the place", () => {
    const long = `name: example\nentry: a\nnodes: {a: {type: script, run: "${"x".repeat(500)}", tpe: 1, env: {A: "${"y".repeat(500)}"}}}\n`;
    const [, frame = "", marks = ""] = toText(check(long).diagnostics, "b.yaml", long).split("\n");
    expect(frame.slice(marks.indexOf("^"), marks.lastIndexOf("^") + 1)).toBe("tpe");
    expect(frame.length).toBeLessThan(200);
  });

  test("obeys nothing that stands in a document", () => {
    const evil = 'name: "\u001b[31m\u202e"\nnodes: {}\n';
    expect(toText(check(evil).diagnostics, "b.yaml", evil)).not.toMatch(/[\u001b\u202e]/);
  });

  test.each([
    ["env of a sandbox", 'type: provision, image: i, env: ["KEY=hunter2"]'],
    ["secrets of a node", 'type: script, run: ls, tmeout: 5m, secrets: ["KEY=hunter2"]'],
    ["secrets of an agent", "type: agent, prompt: x, secrets: [A, hunter2 or so]"],
  ])("never quotes a line where a value may stand for a variable, whatever is wrong with it: %s", (_, node) => {
    const secret = `name: t\nentry: a\nnodes: {a: {${node}}}\n`;
    const found = check(secret).diagnostics;
    expect(found.map(({ code }) => code)).toContain("value-in-env");
    expect(found.length).toBeGreaterThan(node.includes("prompt") ? 0 : 1);
    expect(toText(found, "b.yaml", secret) + JSON.stringify(found)).not.toContain("hunter2");
  });
});

test("sarif names the rule, the place and what is related", () => {
  expect(toSarif([{ file: "a b.yaml", text, diagnostics }], "1.0.0")).toMatchObject({
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "trammel", rules: [{ id: "duplicate-key", defaultConfiguration: { level: "error" } }] },
        },
        results: [
          {
            ruleId: "duplicate-key",
            ruleIndex: 0,
            level: "error",
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "a%20b.yaml" },
                  region: { startLine: 5, startColumn: 3, endLine: 5, endColumn: 4 },
                },
              },
            ],
            relatedLocations: [{ message: { text: "first given here" } }],
          },
        ],
      },
    ],
  });
});

test("github annotations escape what would end them", () => {
  const annotation = toGithub([{ file: "a,b:c.yaml", text, diagnostics }]);
  expect(annotation).toBe(
    "::error file=a%2Cb%3Ac.yaml,line=5,endLine=5,col=3,endColumn=4,title=duplicate-key::" +
      "The key `a` occurs twice in this map%0ARemove or rename one of the two.\n",
  );
});
