import { stripVTControlCharacters } from "node:util";
import { limits } from "../model/limits.ts";
import type { ProcessResult } from "../ports/processes.ts";

/**
 * The line that says most about why a command failed: the last of its stderr that is none of those which programs are
 * known to end with. Where stderr has no such line it is that of stdout, if that speaks of a failure, as test runners
 * do; else the last of stderr, and empty where there is none.
 */
export function tellingLine({ stdout, stderr }: Pick<ProcessResult, "stdout" | "stderr">): string {
  const said = linesOf(stderr.text);
  const printed = lastTelling(linesOf(stdout.text));
  const line = lastTelling(said) ?? (printed !== undefined && failing.test(printed) ? printed : said.at(-1)) ?? "";
  const bare = line.trim();
  return bare.length > limits.reasonCharacters ? `${bare.slice(0, limits.reasonCharacters).toWellFormed()}…` : bare;
}

const failing = /fail|error|assert|panic|exception|✗|✘|×/i;

function linesOf(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split("\n")
    .map((line) => lastPart(line).slice(0, 2 * limits.reasonCharacters))
    .filter((line) => line.trim() !== "");
}

/** What a line shows after it was written over. */
function lastPart(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

function lastTelling(lines: readonly string[]): string | undefined {
  // The line in which Node names its version ends the report of a throw, with what the error holds beside its message.
  const report = /^Node\.js v\d/.test(lines.at(-1) ?? "") ? [...trailers, ...ofThrow] : trailers;
  return lines.findLast((line) => !report.some((trailer) => trailer.test(line)));
}

/** What a program says may be made to be slow to match: each takes a time that grows with the line. */
const trailers: readonly RegExp[] = [
  // Node: its version, frames, the place of a fault
  /^Node\.js v\d/,
  /^\s+at .+/,
  /^\s*\^+\s*$/,
  /^\(Use `node --trace-/,
  // npm, pnpm, yarn, make: that what they ran has failed
  /^npm (?:ERR!|error)(?: *\w*$| \w+ This is related to | code | errno | path | workspace | location | command |.*Lifecycle script|.*Test failed\.)/,
  /^npm (?:ERR!|error) (?:A complete log of this run|\s+\/.*-debug-\d+\.log)/,
  /^npm notice/,
  /^\s*ELIFECYCLE\b/,
  /^(?:error Command failed|info Visit https:\/\/yarnpkg)/,
  /^g?make(?:\[\d+\])?: (?:\*\*\* |Leaving directory)/,
  // Go: exit codes, frames
  /^exit status \d+$/,
  /^goroutine \d+ \[/,
  /^\t\S+\.(?:go|s):\d+/,
  /^(?:[\w.]+\/)*[\w.]\w*\.[\w.()*][\w.)*]*\(.*\)$/,
  /^FAIL(?:\t|$)/,
  // Rust: hints, and what stands below a message
  /^note: (?:run with `RUST_BACKTRACE|Some details are omitted)/,
  /^stack backtrace:$/,
  /^\s+\d+: .*::/,
  /^For more information about this error/,
  /^error: could not compile /,
  /^error: aborting due to /,
  /^\s*(?:\d+ \s*)?\|/,
  /^\s*-->/,
  /^\s+= (?:note|help): /,
  // pytest: counts
  /^=+ .+ =+$/,
  /^\d+ (?:failed|passed|errors?)\b.* in [\d.]+s/,
];

const ofThrow: readonly RegExp[] = [/^\s+[\w[\]']+: .+/, /^\s*[\]})]+,?$/, /^\s+'[^']*',?$/];
