import type { Blueprint } from "../model/blueprint.ts";
import type { NodeType } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { NodeStarted } from "../model/events.ts";
import type { NodeResult, Outcome } from "../model/outcome.ts";

/** An attempt that started processes on this machine. */
export interface EffectOf extends Attempt {
  /** Both null where the definition says nothing about the node. */
  readonly type: NodeType | null;
  readonly command: string | null;
  readonly processes: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null where none was recorded. */
  readonly outcome: Outcome | null;
  readonly exit: number | null;
  readonly reason: string | null;
}

/** An attempt as far as its events have told. */
export interface AttemptSoFar {
  readonly start: NodeStarted;
  readonly at: number;
  processes: number;
  /** How many definitions had been accepted when it began. */
  readonly accepted: number;
  end: { readonly at: number; readonly outcome: Outcome; readonly result: NodeResult | null } | null;
  reason: string | null;
}

export function effect({ start, at, processes, end, reason }: AttemptSoFar, definition: Blueprint | null): EffectOf {
  const node = definition?.nodes.get(start.node);
  return {
    ...attemptOf(start),
    type: node?.type ?? null,
    command: node === undefined ? null : "run" in node ? node.run : "tool" in node ? node.tool : null,
    processes,
    startedAt: instant(at),
    endedAt: end === null ? null : instant(end.at),
    outcome: end?.outcome ?? null,
    exit: end?.result?.exit ?? null,
    reason,
  };
}

export function attemptOf({ node, pass, attempt }: Attempt): Attempt {
  return { node, pass, attempt };
}

export function key({ node, pass, attempt }: Attempt): string {
  return `${attempt} ${pass} ${node}`;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
