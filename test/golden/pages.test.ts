import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPage } from "../../scripts/markdown.ts";
import { check } from "../../src/check/check.ts";
import { toText } from "../../src/check/format.ts";
import { codes, isCode } from "../../src/language/codes.ts";
import { limits } from "../../src/model/limits.ts";
import { setting } from "./setting.ts";

const folder = join(import.meta.dirname, "../../docs/checks");
/** No example of these fits on a page; src/check/bounds.test.ts makes them. */
const withoutExample = ["document-too-large", "too-many-problems", "loops-too-deep"];

function page(code: string) {
  return readPage(readFileSync(join(folder, `${code}.md`), "utf8"));
}

test("every code has a page, and every page a code", () => {
  const pages = readdirSync(folder).filter((file) => file !== "README.md");
  expect(pages.map((file) => file.replace(/\.md$/, "")).sort()).toEqual(Object.keys(codes).sort());
  const index = readFileSync(join(folder, "README.md"), "utf8");
  for (const [code, info] of Object.entries(codes)) {
    expect(index).toContain(`| [${code}](${code}.md) | ${info.severity} | ${info.title} |`);
  }
});

describe("the example of a page gives exactly the message on it, and the mended one nothing", () => {
  test.each(Object.keys(codes).filter((code) => !withoutExample.includes(code)))("%s", (code) => {
    const [bad, message, mended, ...more] = page(code).blocks.filter(({ language }) => language !== "");
    expect([bad?.language, message?.language, mended?.language, more]).toEqual(["yaml", "text", "yaml", []]);
    const example = ended(bad?.text);
    const { diagnostics } = check(example, setting);
    expect(toText(diagnostics, "blueprint.yaml", example)).toBe(ended(message?.text));
    expect(new Set(diagnostics.map((each) => each.code))).toEqual(new Set([code]));
    expect(check(ended(mended?.text), setting).diagnostics).toEqual([]);
  });
});

test.each(Object.keys(codes))("the page of %s states severity and whether it can be silenced", (code) => {
  if (!isCode(code)) throw new Error(code);
  const text = readFileSync(join(folder, `${code}.md`), "utf8");
  expect(text).toContain(`Severity: ${codes[code].severity}.`);
  expect(text.includes("Cannot be silenced.")).toBe(!codes[code].mayAllow);
});

function ended(text: string | undefined): string {
  return `${(text ?? "").replace(/\n$/, "")}\n`;
}

test("the pages of what has no example tell the bounds as they are", () => {
  const told = (code: string): string => readFileSync(join(folder, `${code}.md`), "utf8");
  const [mebibyte, grouped] = [1024 * 1024, (count: number): string => count.toLocaleString("en")];
  expect(told("loops-too-deep")).toContain(`a depth of ${limits.loopNestingLevels}.`);
  for (const bound of [
    `${limits.documentBytes / mebibyte} MiB,`,
    `${limits.documentTextCharacters / mebibyte} MiB of characters`,
    `${grouped(limits.referencesPerDocument)} references`,
  ])
    expect(told("document-too-large")).toContain(bound);
});
