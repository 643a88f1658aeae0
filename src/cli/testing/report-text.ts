import { shellWord } from "../../model/shell.ts";
import type { Failure } from "../../testing/judge.ts";
import type { RouteDifference, RouteRow } from "../../testing/route.ts";
import { limits } from "../../model/limits.ts";
import { inert } from "../../views/inert.ts";
import type { CoverageReport } from "../../wire/tests.ts";
import type { Palette } from "../screen/palette.ts";
import type { CaseResult } from "./results.ts";

/** A test as lines for people: one where it passed, else all that is not as expected. */
export function caseText(file: string, result: CaseResult, colors: Palette): string {
  const { name, line, ms, failures, crashes } = result;
  const killed = crashes === undefined ? "" : `, ${crashes} crashes`;
  const said = `${inert(name)}  ${colors.dim(`${ms} ms${killed}`)}`;
  const differs = result.differences
    .map((text) => colors.dim(`${inert(text).trimEnd().replace(/^/gm, "      ")}\n`))
    .join("");
  if (failures.length === 0) return `  ${colors.green("✓")} ${said}\n${differs}`;
  const shown = failures.slice(0, limits.testFailuresShown).map((one) => failureText(one, colors));
  const more = failures.length - shown.length;
  const place =
    result.run === null
      ? ""
      : `    see what it did: TRAMMEL_HOME=${shellWord(result.home ?? "")} trammel show ${result.run}\n`;
  return [
    `  ${colors.red("✗")} ${said}  ${colors.dim(`${file}:${line}`)}\n`,
    differs,
    ...shown,
    more > 0 ? `    and ${more} more\n` : "",
    place,
  ].join("");
}

function failureText({ what, expected, actual, route }: Failure, colors: Palette): string {
  if (route !== undefined) return routeText(route, colors);
  const [is, was] = [inert(actual), inert(expected)];
  if (!`${is}${was}`.includes("\n")) return `    ${what}: expected ${colors.green(was)}, was ${colors.red(is)}\n`;
  const indent = (text: string): string => text.replace(/\n$/, "").replace(/^/gm, "      ");
  return `    ${what}: expected\n${colors.green(indent(was))}\n    was\n${colors.red(indent(is))}\n`;
}

/** Both routes side by side, with the first difference marked. */
function routeText({ same, differs, rest }: RouteDifference, colors: Palette): string {
  const shown = rest.slice(0, limits.testFailuresShown);
  const width = Math.max(8, ...[...same, differs].map(({ expected }) => (expected ?? "").length));
  const row = (mark: string, { expected, actual }: RouteRow): string =>
    `    ${mark} ${inert(expected ?? "").padEnd(width)}  ${inert(actual ?? "")}\n`;
  const head = `    ${"route"}: ${differs.expected === "(end)" ? "it went on" : "it went another way"}\n`;
  return [
    head,
    colors.dim(row(" ", { expected: "expected", actual: "actual" })),
    ...same.map((one) => row(" ", one)),
    colors.red(row("≠", differs)),
    ...shown.map((one) => row(" ", one)),
    rest.length > shown.length ? row(" ", { expected: "", actual: `… ${rest.length - shown.length} more` }) : "",
  ].join("");
}

/** A table of what the tests walk, then every edge and node that none of them does. */
export function coverageText(reports: readonly CoverageReport[], colors: Palette): string {
  const width = Math.max(8, ...reports.map(({ blueprint }) => blueprint.length));
  const row = (name: string, nodes: string, edges: string, percent: string): string =>
    `${name.padEnd(width)}  ${nodes.padStart(7)}  ${edges.padStart(7)}  ${percent.padStart(5)}\n`;
  const lines = reports.map(({ blueprint, percent, nodes, edges }) => {
    const share = ({ total, missed }: { readonly total: number; readonly missed: readonly unknown[] }): string =>
      `${total - missed.length}/${total}`;
    return row(blueprint, share(nodes), share(edges), `${percent} %`);
  });
  const missed = reports.flatMap(({ blueprint, nodes, edges }) => [
    ...edges.missed.map(({ edge, line, column }) => `  ${blueprint}:${line}:${column}: ${edge} is never walked\n`),
    ...nodes.missed.map((node) => `  ${blueprint}: ${node} never starts\n`),
  ]);
  return `\n${colors.dim(row("coverage", "nodes", "edges", ""))}${lines.join("")}${missed.join("")}`;
}
