import type { Attempt } from "../../model/attempt.ts";
import type { RunHalting } from "../../model/events.ts";
import type { CapturedText, NodeResult } from "../../model/outcome.ts";
import type { JournalReader } from "../../ports/journal.ts";

/**
 * What the node said that a run halted for, one text for each failure that is the evidence: its own error output where
 * it failed itself, else that of the last failure before, which is what an agent at its cap could not mend. Inside a
 * call or a map it is what the run in there halted for.
 */
export function evidenceOf(journal: JournalReader, run: string, halt: RunHalting): readonly string[] {
  const inner = innerHalt(journal, run, halt.node ?? "");
  if (inner !== null) return evidenceOf(journal, inner.run, inner.halt);
  const { failures = [], evidence = halt.node } = halt;
  // Under `expect: failure` it is a success that the run halted for.
  const isAnswer = halt.evidence !== undefined || halt.reason.code === "expected_failure";
  const both = new Map(failures.map((attempt) => [keyOf(attempt), ""]));
  let own: NodeResult | undefined;
  let last: NodeResult | undefined;
  for (const { body } of journal.read(run)) {
    if (body.type !== "node.ended") continue;
    if (body.result.outcome === "success" && !(isAnswer && body.node === evidence)) continue;
    last = body.result;
    if (body.node === evidence) own = body.result;
    if (both.has(keyOf(body))) both.set(keyOf(body), textOf(body.result));
  }
  return both.size > 0 ? [...both.values()] : [textOf(own ?? last)];
}

/** The latest run inside that halted at the rest of the path `call/node` or `map[2]/node`; null where it is no path. */
function innerHalt(
  journal: JournalReader,
  run: string,
  path: string,
): { readonly run: string; readonly halt: RunHalting } | null {
  const [, node, index, rest] = /^([^/[]+)(?:\[(\d+)\])?\/(.+)$/.exec(path) ?? [];
  if (node === undefined) return null;
  const item = index === undefined ? undefined : Number(index);
  const inside = journal.runs(Number.MAX_SAFE_INTEGER, run);
  const child = inside.find(({ parent }) => parent?.node === node && parent.item === item);
  if (child === undefined) return null;
  let halt: RunHalting | null = null;
  for (const { body } of journal.read(child.run)) if (body.type === "run.halting") halt = body;
  return halt !== null && halt.node === rest ? { run: child.run, halt } : null;
}

function keyOf({ node, pass, attempt }: Attempt): string {
  return `${node}#${pass}.${attempt}`;
}

function textOf(result: NodeResult | undefined): string {
  if (result === undefined) return "";
  return said(result.stderr) ?? said(result.output) ?? "";
}

function said(captured: CapturedText | undefined): string | null {
  return captured === undefined || captured.text.trim() === "" ? null : captured.text;
}
