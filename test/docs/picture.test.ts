import { expect, test } from "vitest";
import { readPage } from "../../scripts/markdown.ts";
import { readRepositoryFile } from "../../scripts/files.ts";
import { runPage } from "./page-run.ts";

/** The lines of the picture, in order, without the spaces between its words. */
function drawnLines(svg: string): string[] {
  const lines = new Map<string, string>();
  for (const [, y = "", text = ""] of svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"[^>]*>([^<]*)<\/text>/g)) {
    lines.set(y, (lines.get(y) ?? "") + text);
  }
  return [...lines.values()].map((line) =>
    line.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}

test("the picture in the README shows what the demo does today", () => {
  const [run] = runPage(readPage("```sh\ntrammel demo\n```").blocks);
  expect(run).toMatchObject({ exit: 0 });
  const output = (run?.output ?? "").replaceAll(" ", "");
  const drawn = drawnLines(readRepositoryFile("docs/guide/demo.svg"));
  // Lines with a time or a path of their own differ from run to run.
  const steady = drawn.filter((line) => /^([+-]|ok|alltestspass|Whatthe|\/\*\*)/.test(line));
  expect(steady.length).toBeGreaterThan(10);
  expect(steady.filter((line) => !output.includes(line))).toEqual([]);
});
