import type { Json } from "../model/json.ts";
import type { CapturedText, InnerHalt, NodeResult } from "../model/outcome.ts";
import type { ChildEnd } from "../ports/performer.ts";
import { captureText } from "../runtime/attempts/capture.ts";
import type { BlobStore } from "../ports/blobs.ts";

/** Of several halts the one that its own run would be named by. */
const rank: Readonly<Record<InnerHalt["cause"], number>> = { escalated: 3, needs_attention: 2, limit: 1 };

export function strongest(halts: readonly InnerHalt[]): InnerHalt | undefined {
  return halts.toSorted((a, b) => rank[b.cause] - rank[a.cause])[0];
}

/** The attempt stays open until somebody has decided about what runs in it. */
export function heldBy(halt: InnerHalt, of: ChildEnd): NodeResult {
  return { outcome: "failure", reason: halt.reason, halt, ...evidenceOf(of) };
}

/** How the node around a run ends that is over. */
export function outcomeOf({ status }: ChildEnd): NodeResult["outcome"] {
  switch (status) {
    case "succeeded":
      return "success";
    case "stopped":
      return "cancelled";
    case "interrupted":
    case "running":
    case "waiting":
      return "error";
    default:
      return "failure";
  }
}

/** What a node says that failed inside is what the node around it says. */
export function evidenceOf({ result }: Pick<ChildEnd, "result">): Pick<NodeResult, "output" | "stdout" | "stderr"> {
  if (result === null) return {};
  const { output, stdout, stderr } = result;
  return {
    ...(output === undefined ? {} : { output }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}

/** JSON as a node says it. */
export function saidJson(value: Json, blobs: BlobStore): Promise<CapturedText> {
  return captureText(JSON.stringify(value), blobs);
}
