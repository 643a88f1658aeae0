import type { CapturedText, NodeResult } from "../model/outcome.ts";
import type { JournalReader } from "../ports/journal.ts";
import type { RunHalting } from "../model/events.ts";

/**
 * What the node said that a run halted for: its own error output where it failed itself, else that of the last failure before,
 * which is what an agent at its cap could not mend.
 */
export function evidenceOf(journal: JournalReader, run: string, halt: RunHalting): string {
  let own: NodeResult | undefined;
  let last: NodeResult | undefined;
  for (const { body } of journal.read(run)) {
    if (body.type !== "node.ended" || body.result.outcome === "success") continue;
    last = body.result;
    if (body.node === halt.node) own = body.result;
  }
  const result = own ?? last;
  if (result === undefined) return "";
  return said(result.stderr) ?? said(result.output) ?? result.reason?.text ?? "";
}

function said(captured: CapturedText | undefined): string | null {
  return captured === undefined || captured.text.trim() === "" ? null : captured.text;
}
