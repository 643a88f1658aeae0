import type { Planter } from "./planters.ts";

export interface Planted {
  readonly text: string;
  /** `code start-end` of every fault that can be seen, sorted. */
  readonly expected: readonly string[];
}

/** A sound document with these faults planted in it. */
export function plant(planters: readonly Planter[]): Planted {
  const noEntry = planters.some(({ code }) => code === "no-entry");
  const parts = planters.map((planter) => ({ planter, prefix: planter.code.replaceAll("-", "_") }));
  const lines = (of: (planter: Planter) => readonly string[], indent: string): string =>
    parts
      .flatMap(({ planter, prefix }) =>
        of(planter).map((line) => `${indent}${marked(line, planter).replaceAll("@", prefix)}\n`),
      )
      .join("");
  const starts = parts.flatMap(({ planter, prefix }) =>
    (planter.starts ?? ["@"]).map((name) => `, ${name.replaceAll("@", prefix)}`),
  );
  const source = [
    noEntry ? "name: planted\n" : "name: planted\nentry: begin\n",
    `inputs:\n  plain: string\n${lines(({ inputs = [] }) => inputs, "  ")}`,
    `${noEntry ? "⟦no-entry:nodes⟧" : "nodes"}:\n  begin: {type: script, run: npm ci, next: {success: [finish${starts.join("")}]}}\n  finish: {type: agent, prompt: Say it}\n`,
    noEntry ? "  other_begin: {type: script, run: npm ci}\n" : "",
    lines(({ nodes }) => nodes.split("\n"), "  "),
    `edges:\n  - {from: finish, to: END}\n${lines(({ edges = [] }) => edges, "  - ")}`,
  ].join("");
  const hidden = planters.some(({ hidesPaths }) => hidesPaths === true);
  return read(source, new Set(hidden ? planters.flatMap((each) => (each.needsPaths === true ? [each.code] : [])) : []));
}

function marked(line: string, { code }: Planter): string {
  return line.replace("⟦", `⟦${code}:`);
}

/** Takes the marks out of the text. */
function read(source: string, hidden: ReadonlySet<string>): Planted {
  let text = "";
  const expected: string[] = [];
  for (const [index, piece] of source.split("⟦").entries()) {
    if (index === 0) {
      text += piece;
      continue;
    }
    const [, code = "", inside = "", after = ""] = /^([a-z-]+):([^]*)⟧([^]*)$/.exec(piece) ?? [];
    if (!hidden.has(code)) expected.push(`${code} ${text.length}-${text.length + inside.length}`);
    text += inside + after;
  }
  return { text, expected: expected.sort() };
}
