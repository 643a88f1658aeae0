import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formsOf } from "./forms.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

const secret = "s3cr3t/Key+with=odd&chars";

function maskInPieces(redactor: Redactor, pieces: readonly Uint8Array[]): string {
  const masker = redactor.stream();
  return Buffer.concat([...pieces.map((piece) => masker.write(piece)), masker.end()]).toString();
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}

describe("forms of a secret", () => {
  const redactor = createRedactor([secret]);

  test.each([
    ["plain", secret],
    ["JSON", JSON.stringify({ key: secret })],
    ["URL", `https://x.test/?k=${encodeURIComponent(secret)}&other=1`],
    ["URL in lower case", `k=${encodeURIComponent(secret).toLowerCase().replace("key", "Key")}`],
    ["form", new URLSearchParams({ key: secret }).toString()],
    ["hex", Buffer.from(secret).toString("hex")],
    ["HEX", Buffer.from(secret).toString("hex").toUpperCase()],
    ["base64", Buffer.from(secret).toString("base64")],
    ["base64url", Buffer.from(secret).toString("base64url")],
    ["basic credentials", `Authorization: Basic ${Buffer.from(`user:${secret}`).toString("base64")}`],
    ["base64, second alignment", Buffer.from(`u:${secret} and more`).toString("base64")],
    ["base64, third alignment", Buffer.from(`us${secret} and more`).toString("base64")],
  ])("%s", (_name, text) => {
    const masked = redactor.text(text);
    expect(masked).toContain("***");
    expect(unmasked(masked)).not.toContain(secret.slice(0, 8));
    expect(unmasked(masked)).not.toContain(secret.slice(-8));
  });

  test.each([
    ["with slashes escaped", `{"key":"p\\/ä\\"<'x"}`],
    ["in ASCII", `{"key":"p/\\u00e4\\"<'x"}`],
    ["in ASCII, with slashes escaped", `{"key":"p\\/\\u00e4\\"<'x"}`],
    ["fit for HTML", `{"key":"p/ä\\"\\u003c'x"}`],
    ["fit for HTML, in ASCII", `{"key":"p/\\u00e4\\"\\u003c'x"}`],
  ])("JSON %s", (_name, text) => {
    const odd = `p/ä"<'x`;
    expect(JSON.parse(text)).toEqual({ key: odd });
    expect(createRedactor([odd]).text(text)).toBe('{"key":"***"}');
  });

  test.each([
    ["a shell, word by word", String.raw`p\$\ \"\'\&\\z/9`],
    ["Python", String.raw`p$ "\'&\\z/9`],
    ["Node, in backticks", String.raw`p$ "'&\\z/9`],
    ["HTML", `p$ &quot;&#39;&amp;\\z/9`],
    ["HTML of Python", `p$ &quot;&#x27;&amp;\\z/9`],
    ["XML", `p$ &quot;&apos;&amp;\\z/9`],
    ["HTML of Go", `p$ &#34;&#39;&amp;\\z/9`],
    ["text in HTML", `p$ "'&amp;\\z/9`],
  ])("as %s quotes it", (_name, text) => {
    expect(createRedactor([String.raw`p$ "'&\z/9`]).text(`[${text}]`)).toBe("[***]");
  });

  test("as bash quotes it", () => {
    const odd = String.raw`p$ "'&\z/9*(a)[b]{c}!#;<d>?^|e,f~g`;
    const said = execFileSync("bash", ["-c", 'printf %q "$1"', "bash", odd], { encoding: "utf8" });
    expect(createRedactor([odd]).text(said)).toBe("***");
  });

  test("quoted by a shell that shows what it does", () => {
    const odd = "it's a secret";
    for (const shell of ["sh", "bash"]) {
      const { stderr } = spawnSync(shell, ["-xc", `true "$KEY"`], {
        env: { ...process.env, KEY: odd },
        encoding: "utf8",
      });
      expect(stderr).toContain("a secret");
      expect(createRedactor([odd]).text(stderr)).not.toContain("secret");
    }
  });

  test("base64 and hex that programs break into lines", () => {
    const long = randomBytes(120).toString("base64url");
    const masking = createRedactor([long]);
    for (const [program, args] of [
      ["base64", []],
      ["base64", ["-w", "20"]],
      ["od", ["-An", "-v", "-tx1"]],
    ] as const) {
      const output = execFileSync(program, [...args], { input: long, encoding: "utf8" });
      const text = program === "od" ? output.replaceAll(" ", "") : output;
      expect(masking.text(`before\n${text}after\n`)).toMatch(/^before\n\*\*\*\n+after\n$/);
    }
  });

  test("a key file, whole, indented, and one line of it", () => {
    const lines = [randomBytes(48).toString("base64"), randomBytes(48).toString("base64")] as const;
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
    const masking = createRedactor([key]);
    expect(masking.text(`${key}.`)).toBe("***\n.");
    expect(masking.text(key.replaceAll(/^/gm, "  "))).toBe(
      "  -----BEGIN PRIVATE KEY-----\n  ***\n  ***\n  -----END PRIVATE KEY-----\n  ",
    );
    expect(masking.text(`key: ${lines[1]}!`)).toBe("key: ***!");
  });
});

/** The text with every base64 or hex run in it decoded beside it. */
function unmasked(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/_=-]{8,}/g) ?? [];
  return [
    text,
    decodeURIComponentOr(text),
    ...runs.flatMap((run) => [Buffer.from(run, "base64").toString(), Buffer.from(run, "hex").toString()]),
  ].join("\n");
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

describe("masking", () => {
  test("a secret split across chunks is masked, wherever it is split", () => {
    const redactor = createRedactor([secret]);
    const bytes = Buffer.from(`a ${secret} b`);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(maskInPieces(redactor, [bytes.subarray(0, at), bytes.subarray(at)])).toBe("a *** b");
    }
    expect(
      maskInPieces(
        redactor,
        [...bytes].map((byte) => Buffer.from([byte])),
      ),
    ).toBe("a *** b");
  });

  test("a secret that holds others, found last, leaves nothing of itself", () => {
    const redactor = createRedactor(["abcd", "ijkl", "__abcd____ijkl__"]);
    expect(redactor.text("x __abcd____ijkl__ y abcd")).toBe("x *** y ***");
    expect(redactor.text("x __abcd____ijkl_")).toBe("x __***____***_");
  });

  test("a line end is passed over in an encoded form only, whatever plain form begins alike", () => {
    const redactor = createRedactor(["aaaa", "aacé"]);
    expect(redactor.text("a\naaa")).toBe("a\naaa");
    expect(redactor.text("aac\n%C3%\nA9")).toBe("***");
  });

  test("a line end that belongs to one secret is passed over in the form of another", () => {
    const other = Buffer.from("abcdefgh").toString("base64");
    const [begin, end] = [other.slice(0, 5), other.slice(5)];
    const redactor = createRedactor(["abcdefgh", `${begin}\nx`]);
    expect(redactor.text(`${begin}\n${end}`)).toBe("***");
    expect(redactor.text(`${begin}\nx`)).toBe("***");
  });

  test("the beginning of a secret at the end of a stream comes out", () => {
    expect(maskInPieces(createRedactor([secret]), [Buffer.from("the s3cr")])).toBe("the s3cr");
  });

  test("only what may begin a secret is held back", () => {
    const masker = createRedactor([secret]).stream();
    expect(Buffer.from(masker.write(Buffer.from("progress: s3"))).toString()).toBe("progress: ");
    expect(Buffer.from(masker.write(Buffer.from("x\n"))).toString()).toBe("s3x\n");
  });

  test("what is held back is bounded, though line ends inside a form are passed over", () => {
    const masker = createRedactor([secret]).stream();
    masker.write(Buffer.from(Buffer.from(secret).toString("base64").slice(0, 10)));
    expect(masker.write(Buffer.alloc(1_000_000, "\n")).length).toBeGreaterThan(999_990);
  });

  test("bytes that are no text pass unchanged", () => {
    const bytes = randomBytes(10_000);
    const masker = createRedactor([secret]).stream();
    expect(Buffer.concat([masker.write(bytes), masker.end()])).toEqual(bytes);
  });

  test("under four characters nothing is masked, and it is said", () => {
    const redactor = createRedactor();
    expect(redactor.add("abc")).toBe(false);
    expect(redactor.add("  a\n")).toBe(false);
    expect(redactor.text("abc")).toBe("abc");
    expect(redactor.add("abcd")).toBe(true);
    expect(redactor.text("abcd")).toBe("***");
  });

  test("values keep their shape; a number that is a secret is masked too", () => {
    const redactor = createRedactor(["123456", "token-x"]);
    expect(redactor.json({ n: 123456, m: 12, "token-x": ["a token-x", null, true] })).toEqual({
      n: "***",
      m: 12,
      "***": ["a ***", null, true],
    });
  });
});

describe("for any text, secrets and pieces", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n", "é", "="), minLength: 4, maxLength: 9 });
  const secrets = fc.array(word, { minLength: 1, maxLength: 4 });

  test("pieces make no difference, nothing known is left, and masking twice is masking once", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.oneof(word, fc.integer({ min: 0, max: 3 })), { maxLength: 12 }),
        fc.array(fc.nat(7)),
        (known, parts, sizes) => {
          const redactor = createRedactor(known);
          const text = parts.map((part) => (typeof part === "number" ? (known[part] ?? "x") : part)).join("");
          const masked = redactor.text(text);
          expect(maskInPieces(redactor, cut(Buffer.from(text), sizes))).toBe(masked);
          expect(redactor.text(masked)).toBe(masked);
          const left = known.filter((value) => redactor.add(value) && masked.includes(value.trim()));
          expect(left).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("what is masked is every form wherever it stands, encoded ones over line ends too, and nothing else", () => {
    const odd = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "é", "/", "'"), minLength: 4, maxLength: 7 });
    const broken = (text: string, at: number): string => `${text.slice(0, at)}\n${text.slice(at)}`;
    fc.assert(
      fc.property(
        fc.array(odd, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(9), fc.nat(3), odd), { maxLength: 6 }),
        fc.array(fc.nat(9)),
        (known, picks, sizes) => {
          const masked = known.filter((value) => value.trim().length >= 4);
          const all = masked.flatMap((value) => [...formsOf(value).exact, ...formsOf(value).foldable].map(String));
          const text = picks
            .map(([which, at, breaks, between]) => {
              const form = all[which % Math.max(1, all.length)] ?? "";
              return Array.from({ length: breaks }).reduce<string>((one) => broken(one, at), form) + between;
            })
            .join("");
          expect(maskInPieces(createRedactor(known), cut(Buffer.from(text), sizes))).toBe(maskPlainly(masked, text));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Masks by trying each form at each place. */
function maskPlainly(secrets: readonly string[], text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  const hidden = new Set<number>();
  const hide = (form: Buffer, between: string): void => {
    const characters = [...form.toString("latin1")].map(
      (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
    const pattern = new RegExp(characters.join(between), "y");
    for (let at = 0; at < bytes.length; at += 1) {
      pattern.lastIndex = at;
      if (pattern.test(bytes)) for (let one = at; one < pattern.lastIndex; one += 1) hidden.add(one);
    }
  };
  for (const { exact, foldable } of secrets.map(formsOf)) {
    for (const form of exact) hide(form, "");
    for (const form of foldable) hide(form, "[\\r\\n]{0,2}");
  }
  const shown = [...bytes].map((byte, at) => (!hidden.has(at) ? byte : hidden.has(at - 1) ? "" : "***"));
  return Buffer.from(shown.join(""), "latin1").toString();
}
