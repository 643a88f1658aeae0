import { inert } from "./inert.ts";
import type { Decided } from "./decisions.ts";
import { passName } from "./words.ts";
import { isSameEnd, isSameWay, type RunEndSeen, type WhatIf } from "./what-if.ts";

/** Of a run and of those inside it that would have gone another way, by their paths. */
export interface WhatIfInside extends WhatIf {
  readonly path: string;
}

/** For people, one fact a line. */
export function whatIfText(run: string, file: string, seen: WhatIf, inside: readonly WhatIfInside[]): string {
  const { before, after } = seen;
  const isSame = isSameWay(seen) && inside.length === 0;
  const end = isSameEnd(seen) ? `${said(after)}, as before` : `${said(after)}; it was ${said(before)}`;
  const lines = [...factsOf(seen, ""), ...inside.flatMap((one) => [...endIn(one), ...factsOf(one, `${one.path}/`)])];
  return `${run} with ${file}: ${isSame ? "the same" : end}\n${lines.map((line) => `  ${inert(line)}\n`).join("")}`;
}

function endIn(seen: WhatIfInside): readonly string[] {
  const { path, before, after } = seen;
  return isSameEnd(seen) ? [] : [`${path}: ${said(after)}; it was ${said(before)}`];
}

function factsOf({ starts, halts, assumed, changed, decisions }: WhatIf, prefix: string): readonly string[] {
  const named = (nodes: readonly string[]): string => nodes.map((node) => `${prefix}${node}`).join(", ");
  return [
    ...decisions.map((one) => `${prefix}${decisionText(one)}`),
    ...starts.map(({ node, before, after }) => `${prefix}${node}: ${before} → ${after} starts`),
    ...halts.before.map((halt) => `no longer halts, ${haltText(halt, prefix)}`),
    ...halts.after.map((halt) => `halts, ${haltText(halt, prefix)}`),
    ...(assumed.length === 0 ? [] : [`taken to succeed, since nothing was recorded: ${named(assumed)}`]),
    ...(changed.length === 0 ? [] : [`taken as recorded, though they do something else now: ${named(changed)}`]),
  ];
}

function decisionText({ node, pass, before, after, guess }: Decided): string {
  const was = before === null || before === after ? "" : `${before} → `;
  return `${passName(node, pass)} decides ${was}${after}${guess === null ? "" : `, a guess: ${guess}`}`;
}

function haltText({ cause, node, reason }: WhatIf["halts"]["before"][number], prefix: string): string {
  return `${cause}${node === null ? "" : ` at ${prefix}${node}`}: ${reason}`;
}

function said({ status, reason }: RunEndSeen): string {
  return `${status ?? "without an end"}${reason === null ? "" : ` (${reason})`}`;
}
