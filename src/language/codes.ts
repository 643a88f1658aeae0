import { inert } from "./inert.ts";
import type { Diagnostic, Range, Related, Severity } from "../model/diagnostic.ts";

interface CodeInfo {
  readonly severity: Severity;
  /** What the code stands for, as one short sentence without a full stop. */
  readonly title: string;
  /** The document still has one clear meaning, so `# trammel: allow CODE` may silence it. */
  readonly mayAllow: boolean;
}

const error = (title: string): CodeInfo => ({ severity: "error", title, mayAllow: false });
const policy = (title: string): CodeInfo => ({ severity: "error", title, mayAllow: true });
const warning = (title: string): CodeInfo => ({ severity: "warning", title, mayAllow: true });
const note = (title: string): CodeInfo => ({ severity: "note", title, mayAllow: true });

/** Every problem a document can have. Each code has a page under docs/checks. */
export const codes = {
  // Text and YAML
  syntax: error("The text is not valid YAML 1.2"),
  "empty-document": error("The file holds no document"),
  "multiple-documents": error("The file holds more than one document"),
  "document-too-large": error("The file is larger than a document may be"),
  "nesting-too-deep": error("Lists and maps are nested deeper than a document may be"),
  "alias-bomb": error("Aliases expand to more than a document may hold"),
  "duplicate-key": error("A key occurs twice in one map"),
  "unknown-tag": warning("A YAML tag has no meaning here"),

  "too-many-problems": note("Not all problems are shown"),

  // Fields and values
  "unknown-field": policy("A field does not exist here"),
  "missing-field": error("A required field is absent"),
  "wrong-type": error("A value has the wrong type"),
  "invalid-value": error("A value is outside what its field allows"),
  "invalid-quantity": error("A duration, size, count or amount cannot be read"),
  "invalid-name": error("A name has characters it must not have"),
  "reserved-name": error("A name has a fixed meaning in the language"),
  "unquoted-reference": error("A reference without quotes is a YAML map"),
  "unknown-type": error("A node type does not exist"),
  "value-in-env": error("A value stands where only the name of a variable may"),
  "invalid-schema": error("A schema or type cannot be used"),

  // Graph
  "no-pipeline": error("A document has nothing to run, or two ways to say it"),
  "two-forms": error("The same thing is said in two forms that exclude each other"),
  "unknown-node": error("A name is no node of this blueprint"),
  "edge-from-end": error("END has no outgoing edge"),
  "mixed-edges": error("A node has unconditional and conditional edges"),
  "unknown-outcome": error("A node cannot have this outcome"),
  "no-entry": error("It is not clear where the run begins"),
  "flow-syntax": error("The flow notation cannot be read"),
  "flow-bracket": error("A bracket stands where it has no check before it"),
  "duplicate-edge": warning("The same edge occurs twice"),
  "unreachable-node": warning("No path leads to a node"),
  "failure-swallowed": warning("A failure ends in a run that succeeds"),
  "dead-route": warning("An edge can never fire"),
  "gate-bypass": warning("A way back to a gate leads past its check"),
  "option-without-edge": note("An option of a choice leads nowhere"),
  "only-unconditional": note("A script's failure goes the same way as its success"),
  "loop-without-bound": note("A loop has no cap or limit of its own"),
  "loop-with-two-entries": note("A loop can be entered at more than one node"),
  "loops-too-deep": error("Loops are nested deeper than an engine can follow"),
  "join-unmet": error("A join waits for more arms than there are"),

  // References and data
  "unknown-reference": error("A reference names nothing that exists"),
  "parallel-reference": error("A reference names a node that can run at the same time"),
  "dead-reference": warning("A reference is always empty"),
  "reference-in-run": policy("Data would become executable text"),
  "tainted-value": policy(
    "Untrusted text would decide what is executed, where something goes or what a person is asked",
  ),
  "braces-in-run": warning("A node's name in braces inside a command stays as it is"),
  "near-reference": warning("A text looks like a reference but is none"),

  "field-without-effect": warning("A field has no effect where it stands"),
  "container-not-ready": error("A sandbox may not exist when it is used"),
  "value-not-ready": error("A list or an output may not exist when it is needed"),
  "cap-above-stock": error("A cap is higher than the stock node allows"),
  "human-mode": error("A gate's fields do not fit its mode"),
  "decide-by": error("Who decides does not fit how a decision is made"),
  "bad-call": error("A call that does not fit the blueprint it runs"),
  "changed-callee": error("A callee is not what `trammel.lock` holds its call to"),
  "unpinned-call": note("A call has no pin beside others that do"),
  "bad-network": error("A sandbox cannot have this network"),
  "default-network": note("A sandbox has the network that its driver gives it"),
  "bad-container": error("A container is no sandbox of this blueprint"),
  "input-collision": error("Two inputs share one environment variable"),
  "unknown-tool": error("No tool has this name"),

  // Commands
  "cannot-fail": warning("A check can never fail"),
  "pipe-hides-failure": warning("A pipe hides the outcome of the command on its left"),
  "crlf-in-run": warning("A command holds carriage returns"),
  "reads-own-state": warning("A command names Trammel's own data or credentials"),
} as const satisfies Readonly<Record<string, CodeInfo>>;

export type Code = keyof typeof codes;

export function isCode(text: string): text is Code {
  return Object.hasOwn(codes, text);
}

/** Receives every problem found; never throws. False when the document silences it. */
export type Report = (problem: Diagnostic) => boolean;

export function problem(
  code: Code,
  range: Range,
  message: string,
  hint?: string,
  related?: readonly Related[],
): Diagnostic {
  return {
    code,
    severity: codes[code].severity,
    range,
    message: inert(message),
    ...(hint === undefined ? {} : { hint: inert(hint) }),
    ...(related === undefined ? {} : { related }),
  };
}
