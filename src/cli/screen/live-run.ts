import type { Blueprint } from "../../model/blueprint.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { JournalEvent, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Progress } from "../../ports/performer.ts";
import type { Callees, Observer } from "../../runtime/api.ts";
import { emptyView, fold } from "../../views/fold.ts";
import { inert, lastLine } from "../../views/inert.ts";
import { pauseText } from "../../views/words.ts";
import type { RunView } from "../../views/run-view.ts";
import { blueprintInside } from "../../graph/body.ts";

/** What runs inside a node on the screen: those under way, and how many are over. */
export interface Inside {
  readonly under: Map<string, LiveRun>;
  over: number;
}

/** A run on the screen, with those inside it that are under way. */
export class LiveRun implements Observer {
  readonly view: RunView;
  /** Last output line by node, already inert. */
  readonly lines = new Map<string, string>();
  readonly insideOf = new Map<string, Inside>();
  readonly link: ParentLink | null;
  readonly #blueprint: Blueprint | null;
  readonly #callees: Callees;
  readonly #over: () => void;

  constructor(view: RunView, blueprint: Blueprint | null, callees: Callees, link: ParentLink | null, over: () => void) {
    this.view = view;
    this.link = link;
    this.#blueprint = blueprint;
    this.#callees = callees;
    this.#over = over;
  }

  event(event: JournalEvent): void {
    const { body } = event;
    fold(this.view, event);
    if (body.type === "run.finished") this.#over();
    if (body.type === "node.started" && body.attempt === 1) this.insideOf.delete(body.node);
    if (body.type !== "node.ended") return;
    const { node, result } = body;
    const said = lastLine(
      result.reason?.code === "exit" || result.reason === undefined ? (result.output?.text ?? "") : result.reason.text,
    );
    if (said !== "") this.lines.set(node, said);
  }

  progress(at: Attempt, progress: Progress): void {
    const said = progressLine(progress);
    if (said !== "") this.lines.set(at.node, said);
  }

  inside(parent: ParentLink): LiveRun {
    const inside = this.insideOf.get(parent.node) ?? { under: new Map<string, LiveRun>(), over: 0 };
    this.insideOf.set(parent.node, inside);
    const blueprint = this.#blueprint && blueprintInside(this.#blueprint, parent.node, this.#callees);
    const over = (): void => {
      if (inside.under.delete(parent.path)) inside.over += 1;
    };
    const child = new LiveRun(emptyView("", blueprint), blueprint, this.#callees, parent, over);
    inside.under.set(parent.path, child);
    return child;
  }
}

function progressLine(progress: Progress): string {
  switch (progress.kind) {
    case "line":
      return lastLine(progress.text);
    case "agent":
      return agentLine(progress.event);
    case "gate_opened":
      return lastLine(progress.prompt);
    case "gate_answered":
    case "process":
    case "waiting":
      return "";
  }
}

function agentLine(event: Extract<Progress, { readonly kind: "agent" }>["event"]): string {
  switch (event.type) {
    case "text":
    case "thinking":
      return lastLine(event.text);
    case "tool_call":
      return inert(`→ ${event.tool} ${JSON.stringify(event.input)}`.slice(0, limits.previewBytes));
    case "tool_result":
      return event.ok ? "" : `✗ ${event.tool}: ${lastLine(event.output)}`;
    case "diff":
      return inert(`± ${event.path}`);
    case "permission":
      return inert(`${event.decision}: ${event.tool} ${event.request}`.slice(0, limits.previewBytes));
    case "paused":
    case "quiet":
      return pauseText(event);
    case "read":
      return event.how === "outside" || event.how === "refused" ? inert(`${event.how}: ${event.path}`) : "";
    case "context":
    case "usage":
    case "stop":
      return "";
  }
}
