import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Lexer, parse } from "yaml";
import { check } from "../../src/check/check.ts";
import type { Change, Path } from "../../src/language/edit/edit.ts";
import { edit } from "../../src/language/edit/edit.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";

const root = join(import.meta.dirname, "../..");
const documents = ["test/golden/ok", "examples", "examples/minions"]
  .flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((file) =>
      file.endsWith(".yaml") ? [readFileSync(join(root, folder, file), "utf8")] : [],
    ),
  )
  // What an alias repeats cannot be changed in place; tags and keys that are
  // numbers read as something else in this test.
  .filter((text) => !/[&*]\w|!\w|^ *0\d+:/m.test(text) && check(text).blueprint !== null);

const values: fc.Arbitrary<Json> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "no",
    "010",
    "~",
    "- a",
    "a: b",
    "# x",
    "{task}",
    " ",
    "\u{2000}",
    "\u{A0}a\u{3000}",
    "a\n  b\n",
    "one\ntwo\n",
    "one\n\ntwo",
    "'\"",
    "\t",
    "|",
  ),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.constantFrom("a", "b, c", "d\ne"), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("when", "on", "a b", "1st"), fc.constantFrom("x", "y\nz", "true"), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
);

/** Paths to every value of a document, the document left out. */
function pathsOf(json: Json, path: Path = []): readonly Path[] {
  const inner = Array.isArray(json)
    ? json.flatMap((item, index) => pathsOf(item, [...path, index]))
    : isMap(json)
      ? Object.entries(json).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : [];
  return path.length === 0 ? inner : [path, ...inner];
}

function isMap(json: Json | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function valueAt(json: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)];
    return isMap(at) ? at[step] : undefined;
  }, json);
}

function commentsOf(text: string): readonly string[] {
  const lexemes = [...new Lexer().lex(text)];
  return lexemes.filter((lexeme, index) => lexeme.startsWith("#") && lexemes[index - 1] !== "\u001f");
}

/** What the text says after the change, and its comments; as JSON text, because the order of keys counts. */
function afterwards(text: string, change: Change): readonly string[] {
  const result = edit(text, [change]);
  if ("problem" in result) throw new Error(`${result.problem}: ${JSON.stringify(change)}\n${text}`);
  return [JSON.stringify(parse(result.text)), ...commentsOf(result.text)];
}

/** A deep copy in which `change` made something of the value at the path. */
function withAt(json: Json, [step, ...rest]: Path, change: (value: Json) => Json): Json {
  if (step === undefined) return change(json);
  if (Array.isArray(json)) return json.map((item, index) => (index === step ? withAt(item, rest, change) : item));
  return isMap(json)
    ? Object.fromEntries(
        Object.entries(json).map(([key, item]) => [key, key === step ? withAt(item, rest, change) : item]),
      )
    : json;
}

test("a field that is set has the value; comments, order and all else stay", () => {
  fc.assert(
    fc.property(fc.constantFrom(...documents), fc.nat(), values, (text, pick, value) => {
      const json = parse(text) as Json; // documents are maps, lists and scalars
      const paths = pathsOf(json).filter((path) => typeof valueAt(json, path) !== "object");
      const path = paths[pick % paths.length] ?? [];
      const wanted = withAt(json, path, () => value);
      expect(afterwards(text, { kind: "set", path, value })).toEqual([JSON.stringify(wanted), ...commentsOf(text)]);
    }),
    { numRuns: 1_000 },
  );
});

test("a field that is added to any map stands at its end", () => {
  fc.assert(
    fc.property(fc.constantFrom(...documents), fc.nat(), values, (text, pick, value) => {
      const json = parse(text) as Json; // as above
      const maps = [[], ...pathsOf(json).filter((path) => isMap(valueAt(json, path)))];
      const path = maps[pick % maps.length] ?? [];
      const wanted = withAt(json, path, (map) => ({ ...(isMap(map) ? map : {}), "a-new-one": value }));
      expect(afterwards(text, { kind: "set", path: [...path, "a-new-one"], value })).toEqual([
        JSON.stringify(wanted),
        ...commentsOf(text),
      ]);
    }),
    { numRuns: 1_000 },
  );
});

test("an item that is added to any list stands at its end", () => {
  const withLists = documents.filter((text) => /^ *- |\[/m.test(text));
  fc.assert(
    fc.property(fc.constantFrom(...withLists), fc.nat(), values, (text, pick, value) => {
      const json = parse(text) as Json; // as above
      const lists = pathsOf(json).filter((path) => Array.isArray(valueAt(json, path)));
      const path = lists[pick % lists.length];
      fc.pre(path !== undefined);
      const wanted = withAt(json, path, (list) => [...(Array.isArray(list) ? list : []), value]);
      expect(afterwards(text, { kind: "append", path, value })).toEqual([JSON.stringify(wanted), ...commentsOf(text)]);
    }),
    { numRuns: 500 },
  );
});

test("a renamed node is the same node under another name", () => {
  fc.assert(
    fc.property(fc.constantFrom(...documents), fc.nat(), (text, pick) => {
      const before = check(text).blueprint;
      const ids = [...(before?.nodes.keys() ?? [])];
      const id = ids[pick % ids.length] ?? "";
      const result = edit(text, [{ kind: "rename", node: id, to: "quite-new" }]);
      // Stock nodes and second uses in a flow have no definition that could be renamed.
      fc.pre("text" in result);
      const after = check(result.text).blueprint;
      expect(commentsOf(result.text)).toEqual(commentsOf(text));
      const renamed = (name: string): string =>
        name === id ? "quite-new" : name.replace(new RegExp(`^${id}#`), "quite-new#");
      expect([...(after?.nodes.keys() ?? [])]).toEqual(ids.map(renamed));
      expect(after?.entry).toBe(renamed(before?.entry ?? ""));
      expect(after?.edges).toEqual(
        before?.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) })),
      );
      expect(edit(result.text, [{ kind: "rename", node: "quite-new", to: id }])).toEqual({ text });
    }),
    { numRuns: 300 },
  );
});
