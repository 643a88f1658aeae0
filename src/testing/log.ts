import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Attempt } from "../model/attempt.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Witness } from "./stage.ts";
import { changedTraces, type Traces, tracesOf } from "./traces.ts";

interface Performance {
  readonly path: string;
  readonly pass: number;
  readonly attempt: number;
}

/**
 * What is known of the performances of a run from outside: each is written down before it acts and again when it has.
 */
export type LogLine =
  | ({ readonly kind: "begun" } & Performance)
  | ({
      readonly kind: "ended";
      readonly outcome: NodeResult["outcome"];
      readonly option: boolean;
      /** Digests of what it changed, by name, null of what is gone; absent where nobody looked. */
      readonly changed?: Readonly<Record<string, string | null>>;
    } & Performance);

export type LogEnd = Extract<LogLine, { kind: "ended" }>;

/**
 * Writes the log of a run. Appended at once and whole, so that it stands whatever becomes of the
 * process. `tree` is looked at before and after where it is given.
 */
export function logTo(file: string, tree: string | null): Witness {
  const before = new Map<string, Traces>();
  const write = (line: LogLine): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const keyOf = (path: string, { pass, attempt }: Attempt): string => `${path} ${pass} ${attempt}`;
  return {
    async begun(path, attempt) {
      if (tree !== null) before.set(keyOf(path, attempt), await tracesOf(tree));
      write({ kind: "begun", path, pass: attempt.pass, attempt: attempt.attempt });
    },
    async ended(path, attempt, { outcome, option }) {
      const was = before.get(keyOf(path, attempt));
      const changed =
        tree === null || was === undefined ? {} : { changed: changedTraces(was, await tracesOf(tree, was)) };
      const { pass, attempt: n } = attempt;
      write({ kind: "ended", path, pass, attempt: n, outcome, option: option !== undefined, ...changed });
    },
  };
}

export function readLog(file: string): readonly LogLine[] {
  if (!existsSync(file)) return [];
  // Lines that this very module wrote.
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}
