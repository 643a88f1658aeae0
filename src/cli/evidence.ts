import type { Attempt, RunHalting } from "../model/events.ts";
import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { JournalReader } from "../ports/journal.ts";

/**
 * What the node said that a run halted for, one text for each failure that is the evidence: its own error output where it failed
 * itself, else that of the last failure before, which is what an agent at its cap could not mend.
 */
export function evidenceOf(journal: JournalReader, run: string, halt: RunHalting): readonly string[] {
  const { failures = [], evidence = halt.node } = halt;
  const both = new Map(failures.map((attempt) => [keyOf(attempt), ""]));
  let own: NodeResult | undefined;
  let last: NodeResult | undefined;
  for (const { body } of journal.read(run)) {
    if (body.type !== "node.ended" || body.result.outcome === "success") continue;
    last = body.result;
    if (body.node === evidence) own = body.result;
    if (both.has(keyOf(body))) both.set(keyOf(body), textOf(body.result));
  }
  return both.size > 0 ? [...both.values()] : [textOf(own ?? last)];
}

function keyOf({ node, pass, attempt }: Attempt): string {
  return `${node}#${pass}.${attempt}`;
}

function textOf(result: NodeResult | undefined): string {
  if (result === undefined) return "";
  return said(result.stderr) ?? said(result.output) ?? result.reason?.text ?? "";
}

function said(captured: CapturedText | undefined): string | null {
  return captured === undefined || captured.text.trim() === "" ? null : captured.text;
}
