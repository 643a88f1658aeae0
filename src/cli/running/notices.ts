import type { NotifyConfig } from "../../config/config.ts";
import type { EventBody, JournalEvent, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { rootMessageOf } from "../../model/thrown.ts";
import type { Observer } from "../../runtime/api.ts";
import { isForAgents } from "../../runtime/environment/allowed.ts";
import { inert, inertLine } from "../../views/inert.ts";
import { pauseText } from "../../views/words.ts";
import type { Notice } from "../../wire/notice.ts";
import type { World } from "../world.ts";
import { handTo } from "./notice-command.ts";

export interface Notices extends Observer {
  /** Resolves, and says what failed, when all have gone out or failed, each after `limits.noticeMs` at the latest. */
  sent(): Promise<void>;
}

/**
 * Tells somebody that a run waits for a person. A notice that cannot go out is said in the end, and holds up nothing.
 */
export function noticesOf(world: World, config: NotifyConfig, blueprint: string, cwd: string): Notices {
  const sending: Promise<void>[] = [];
  const failures: string[] = [];
  const send = (channel: string, out: Promise<void>): void => {
    const failed = (error: unknown): void => {
      const why = rootMessageOf(error);
      failures.push(`the notice by ${channel} did not go out: ${inertLine(why).trim()}\n`);
    };
    sending.push(out.catch(failed));
  };
  let run = "";
  const tell = (notice: Notice | null): void => {
    if (notice === null || sending.length >= limits.noticesPerRun) return;
    const text = `${JSON.stringify(notice)}\n`;
    const env = environment(world.env);
    if (config.command !== undefined) send("command", handTo(["sh", "-c", config.command], { cwd, env }, text));
    if (config.webhook !== undefined) send("webhook", post(config.webhook, text));
    if (config.desktop === true) send("desktop", handTo(desktop(notice), { cwd, env }, ""));
  };
  const known = new KnownQuestions();
  const progress = (): void => undefined;
  const inside = ({ path }: ParentLink): Observer => ({
    event: ({ body }) => tell(known.has(body, path) ? null : waitOf(body, { run, blueprint, path })),
    progress,
    inside,
  });
  return {
    event(event) {
      run = event.run;
      if (known.has(event.body, "")) return;
      tell(waitOf(event.body, { run, blueprint, path: "" }) ?? haltOf(event, blueprint));
    },
    progress,
    inside,
    async sent() {
      await Promise.all(sending);
      for (const failure of failures.splice(0)) world.err.write(failure);
    },
  };
}

/** Tells both of everything. */
export function observeAll(one: Observer, other: Observer): Observer {
  return {
    event(event) {
      one.event(event);
      other.event(event);
    },
    progress(at, progress) {
      one.progress(at, progress);
      other.progress(at, progress);
    },
    inside(parent) {
      const [a, b] = [one.inside?.(parent), other.inside?.(parent)];
      return observeAll(a ?? nobody, b ?? nobody);
    },
  };
}

const nobody: Observer = { event: () => undefined, progress: () => undefined };

/** Questions that stood when another process took the run over, as to answer them: whoever is asked was told then. */
class KnownQuestions {
  readonly #nodes = new Set<string>();

  has(body: EventBody, path: string): boolean {
    if (body.type === "node.unconfirmed" && body.reason.code === "taken_up") this.#nodes.add(`${path}${body.node}`);
    // It did not have to ask once more: what it asks in a later pass is another question.
    if (body.type === "node.ended") this.#nodes.delete(`${path}${body.node}`);
    return body.type === "gate.opened" && this.#nodes.delete(`${path}${body.node}`);
  }
}

interface Asking {
  /** The run that goes on with the answer, and the way from it to the one that asks. */
  readonly run: string;
  readonly blueprint: string;
  readonly path: string;
}

function waitOf(body: EventBody, { run, blueprint, path }: Asking): Notice | null {
  const of = (node: string) => ({ run, blueprint, node: `${path}${node}` });
  if (body.type === "gate.opened") return { ...of(body.node), waits: "answer", text: body.prompt };
  if (body.type !== "agent.progressed" || body.event.type !== "quiet") return null;
  return { ...of(body.node), waits: "sign_of_life", text: pauseText(body.event) };
}

/** A halt inside becomes one of the run around it. */
function haltOf({ run, body }: JournalEvent, blueprint: string): Notice | null {
  if (body.type !== "run.halting" || (body.cause !== "escalated" && body.cause !== "needs_attention")) return null;
  return { run, blueprint, waits: "decision", node: body.node ?? null, text: body.reason.text };
}

async function post(address: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(limits.noticeMs);
  const answer = await fetch(address, { method: "POST", headers, body, redirect: "error", signal });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the address answered ${answer.status}`);
}

/** What leads to the screen of the user. */
const screen: ReadonlySet<string> = new Set(["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]);

/** Without anything that may be a credential. */
function environment(env: World["env"]): Readonly<Record<string, string>> {
  const entries = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  return Object.fromEntries(entries.filter(([name]) => isForAgents(name) || screen.has(name)));
}

function desktop({ blueprint, node, text }: Notice): readonly [string, ...string[]] {
  const title = `Trammel: ${inert(blueprint)} waits`;
  const body = inert(node === null ? text : `${node}: ${text}`);
  if (process.platform !== "darwin") return ["notify-send", "--", title, body];
  const script = "on run {title, body}\ndisplay notification body with title title\nend run";
  return ["osascript", "-e", script, title, body];
}
