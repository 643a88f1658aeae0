import type { HumanNode, Node } from "../model/node.ts";
import type { Attempt } from "../model/attempt.ts";
import type { NodeStarted } from "../model/events.ts";
import type { Answer, GateKeeper, Question } from "../ports/gate.ts";
import type { JournalReader } from "../ports/journal.ts";
import { withoutItems } from "./catalog.ts";
import { answerOf } from "./fits.ts";
import type { Line } from "./script.ts";

/** Waits while time goes by. */
type Rest = (waiting: () => Promise<Answer>) => Promise<Answer>;
type LineOf = (path: string, node: Node, attempt: Attempt) => Line;

/** Who answers gates as a test says. An agent that asks whether it may finds nobody. */
export class Person implements GateKeeper {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #journal: () => Pick<JournalReader, "read"> | null;
  readonly #lineOf: LineOf;
  readonly #rest: Rest;
  /** How often a pass of a gate was asked here: what an answer came to that did not stand is in no journal. */
  readonly #times = new Map<string, number>();

  constructor(
    nodes: ReadonlyMap<string, Node>,
    journal: () => Pick<JournalReader, "read"> | null,
    lineOf: LineOf,
    rest: Rest,
  ) {
    this.#nodes = nodes;
    this.#journal = journal;
    this.#lineOf = lineOf;
    this.#rest = rest;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const answer = this.#answer(question);
    return answer === null ? this.#rest(() => nobody(signal)) : Promise.resolve(answer);
  }

  /** Null where nobody answers in time. */
  #answer({ run, node: asked, of }: Question): Answer | null {
    const path = of === undefined ? asked : `${asked.slice(0, asked.lastIndexOf("/") + 1)}${of}`;
    const node = this.#nodes.get(withoutItems(path));
    const past = pastOf(this.#journal()?.read(run) ?? [], path.slice(path.lastIndexOf("/") + 1));
    if (node?.type !== "human" || past === null) return { kind: "nobody" };
    const line = this.#lineOf(path, node, past.attempt);
    if (typeof line === "string") return { kind: "nobody" };
    if (line.outcome === "timeout") return null;
    const key = `${run} ${path} ${past.attempt.pass}`;
    const times = Math.max(past.answers, this.#times.get(key) ?? 0);
    this.#times.set(key, times + 1);
    return answered(answerOf(line, node, times), node, line.by ?? node.approvers?.[0] ?? "test");
  }
}

function answered(answer: ReturnType<typeof answerOf>, { mode }: HumanNode, by: string): Answer {
  if (answer === undefined) return { kind: "nobody" };
  if (typeof answer === "boolean" && mode === "approval") return { kind: answer ? "approved" : "declined", by };
  return typeof answer === "string" ? { kind: "text", by, text: answer } : { kind: "value", by, value: answer };
}

/**
 * The latest attempt of a gate, and how often its pass has been answered, at
 * the gate and before nodes that asked it again.
 */
function pastOf(
  events: ReturnType<JournalReader["read"]>,
  gate: string,
): { readonly attempt: Attempt; readonly answers: number } | null {
  let attempt: NodeStarted | null = null;
  let answers = 0;
  const asking = new Map<string, string>();
  for (const { body } of events) {
    if (body.type === "node.started" && body.node === gate) {
      attempt = body;
      if (body.attempt === 1) answers = 0;
    } else if (body.type === "gate.opened") asking.set(body.node, body.of ?? body.node);
    else if (body.type === "gate.answered" && asking.get(body.node) === gate) answers += 1;
  }
  return attempt && { attempt, answers };
}

function nobody(signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: "nobody" });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
