import type { Node } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { LogEnd, LogLine } from "./log.ts";

export interface Unconfirmed {
  readonly path: string;
  readonly node: Node;
  readonly attempt: Attempt;
  /** Whether it is carried out rather than scripted. */
  readonly real: boolean;
}

export interface Evidence {
  /** Of the run in which the engine died. */
  readonly log: readonly LogLine[];
  /** Of the same run where nothing happened to it. */
  readonly reference: readonly LogLine[];
  /** Digest of a file of the tree now, or of something in its repository; null where it is not there. */
  readonly digest: (name: string) => string | null;
}

/**
 * What a person would say of a node whose outcome nobody knows, by what can be seen outside: `again`
 * where nothing shows that it was done, and where only doing it again tells what it chose; else that it
 * is done, or has failed, as it does when nothing happens to it.
 */
export function decisionAbout(what: Unconfirmed, evidence: Evidence): "done" | "failed" | "again" {
  const { path, node, attempt, real } = what;
  const isMine = (line: LogLine): boolean =>
    line.path === path && line.pass === attempt.pass && line.attempt === attempt.attempt;
  const begun = evidence.log.some((line) => line.kind === "begun" && isMine(line));
  const usual = evidence.reference.findLast(
    (line): line is LogEnd => line.kind === "ended" && line.path === path && line.pass === attempt.pass,
  );
  if (!begun || usual === undefined || usual.option || usual.outcome === "error" || usual.outcome === "cancelled")
    return "again";
  const changes = Object.entries(usual.changed ?? {});
  // What a script stands for leaves no trace here but the log; what is carried out leaves its files, or something in
  // the repository.
  if (changes.length === 0 ? real : changes.some(([file, digest]) => evidence.digest(file) !== digest)) return "again";
  const succeeds = (usual.outcome === "success") !== (node.expect === "failure");
  return succeeds ? "done" : "failed";
}

/**
 * Performances that nobody decided about and that no node may have: more of a
 * pass than the run has where nothing happens to it.
 */
export function repeated(
  nodeAt: (path: string) => Node | undefined,
  { log, reference }: Pick<Evidence, "log" | "reference">,
  decided: readonly { readonly path: string; readonly pass: number }[],
): readonly { readonly path: string; readonly pass: number; readonly times: number }[] {
  const counted = countOf(log);
  const usual = countOf(reference);
  return [...counted].flatMap(([key, { path, pass, times }]) => {
    const node = nodeAt(path);
    if (node === undefined || isRepeatable(node)) return [];
    const again = decided.filter((one) => one.path === path && one.pass === pass).length;
    return times > (usual.get(key)?.times ?? 1) + again ? [{ path, pass, times }] : [];
  });
}

function countOf(log: readonly LogLine[]): Map<string, { path: string; pass: number; times: number }> {
  const counts = new Map<string, { path: string; pass: number; times: number }>();
  for (const { kind, path, pass } of log) {
    if (kind !== "begun") continue;
    const count = counts.get(`${path} ${pass}`) ?? { path, pass, times: 0 };
    count.times += 1;
    counts.set(`${path} ${pass}`, count);
  }
  return counts;
}

/** Asking and waiting do nothing outside, a box is made anew, and what runs inside is counted itself. */
const harmless: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "human",
  "wait",
  "call",
  "map",
  "provision",
  "checkout",
]);

function isRepeatable({ type, idempotent }: Node): boolean {
  return idempotent === true || harmless.has(type);
}
