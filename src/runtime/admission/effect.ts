import type { Effect } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { CapturedText } from "../../model/outcome.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { ActionContext } from "../../ports/performer.ts";
import { patternCompiler } from "../validation/pattern.ts";

interface ProbeContext extends Pick<ActionContext, "cwd" | "environment" | "signal"> {
  readonly can: Pick<ActionContext["can"], "processes" | "blobs">;
}

/** Whether what an action does is there. `unknown`: its probe could not tell, and a person has to. */
export type Finding = "there" | "not_there" | "unknown";

/** Asks the probe of a node whose outcome a crash left unknown. */
export async function findEffect(context: ProbeContext, effect: Effect): Promise<Finding> {
  const holds = await ruleOf(effect.done);
  if (holds === null) return "unknown";
  const result = await context.can.processes.run(
    {
      argv: ["sh", "-c", effect.probe.replaceAll("\r\n", "\n")],
      cwd: context.cwd,
      env: await context.environment(),
      timeoutMs: limits.probeTimeoutMs,
      outputBytes: limits.probeOutputBytes,
    },
    context.signal,
  );
  // A probe that cannot be run, was ended, or is no command says nothing about the effect.
  if (result.end.kind !== "exit" || result.end.code === 126 || result.end.code === 127) return "unknown";
  const isThere = holds(result.end.code, await saidBy(result.stdout, context.can.blobs));
  if (isThere === undefined) return "unknown";
  return isThere ? "there" : "not_there";
}

interface Said {
  readonly text: string;
  /** Something of it was not kept: what is not found may have stood there. */
  readonly isCut: boolean;
}

/** What `grep`, `cat`, `test` and `diff` end with where something is not there; with more they say that they failed. */
const answersNo = 1;

async function saidBy({ text, blob, cut }: CapturedText, blobs: Pick<BlobStore, "get">): Promise<Said> {
  if (blob === undefined) return { text, isCut: cut === true };
  const bytes = await blobs.get(blob).catch(() => null);
  return bytes === null ? { text, isCut: true } : { text: Buffer.from(bytes).toString(), isCut: cut === true };
}

/** Undefined where what was said does not tell. */
type Rule = (exit: number, said: Said) => boolean | undefined;

/**
 * `exit N`, `contains TEXT` or `matches REGEX`, about what the probe wrote to stdout; null where it is none of them.
 */
async function ruleOf(done: string): Promise<Rule | null> {
  const [, word, rest = ""] = /^(exit|contains|matches) (.+)$/s.exec(done) ?? [];
  switch (word) {
    case "exit":
      return (exit) => exit === Number(rest) || (exit > answersNo ? undefined : false);
    case "contains":
      return (exit, { text, isCut }) => text.includes(rest) || (isCut || exit > answersNo ? undefined : false);
    case "matches": {
      const pattern = (await patternCompiler())(rest, { lines: true });
      if ("problem" in pattern) return null;
      return (exit, { text, isCut }) => {
        const found = isCut ? undefined : pattern.test(text);
        return found === false && exit > answersNo ? undefined : found;
      };
    }
    default:
      return null;
  }
}
