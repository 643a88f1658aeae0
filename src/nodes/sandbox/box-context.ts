import { limits } from "../../model/limits.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import type { ActionContext } from "../../ports/performer.ts";
import type { Sandbox, SandboxResult } from "../../ports/sandbox.ts";
import { clip, type Mask } from "../../runtime/text.ts";
import { selectorOf } from "../../runtime/tree/globs.ts";
import { wholeText } from "../../runtime/whole-text.ts";
import type { Source } from "../agent-context.ts";

/** Plain files, a path a line; none that a link leads to. */
const find = "find . \\( -name .git -o -name node_modules \\) -prune -o -type f -print";

/** The SHA-256 of a file, or a line without one, and then its first bytes. */
const show = 'sha256sum <"$1" 2>/dev/null || echo; head -c "$2" <"$1"';

/** The workspace of a box: globs, paths and commands count from there. */
export function sourceIn(
  sandbox: Sandbox,
  context: ActionContext,
  env: Readonly<Record<string, string>>,
  mask: Mask,
): Source {
  const { blobs } = context.can;
  const run = (argv: readonly string[], outputBytes: number): Promise<SandboxResult> =>
    sandbox.exec({ argv, cwd: boxWorkspace, env, timeoutMs: limits.contextCommandMs, outputBytes }, context.signal);
  return {
    async files(glob) {
      const found = await run(["sh", "-c", find], limits.snapshotFileBytes);
      if (!isDone(found)) throw new Error(`the files of the sandbox cannot be listed: ${howItEnded(found)}`);
      const paths = (await wholeText(found.stdout, blobs)).split("\n").map((line) => line.replace(/^\.\//, ""));
      return paths.filter((path) => path !== "").filter(selectorOf([glob]));
    },
    async content(path) {
      const shown = await run(
        ["sh", "-c", show, "sh", path, String(limits.snapshotFileBytes)],
        2 * limits.snapshotFileBytes,
      );
      if (!isDone(shown)) return { text: `(not readable: ${howItEnded(shown)})`, digest: null };
      const text = await wholeText(shown.stdout, blobs);
      const end = text.indexOf("\n");
      const digest = /^[0-9a-f]{64}\b/.exec(text.slice(0, end))?.[0] ?? null;
      return { text: clip(mask(text.slice(end + 1)), limits.promptValueBytes), digest };
    },
    async output(command) {
      const result = await run(["sh", "-c", command], context.outputBytes);
      return {
        text: clip(mask(await wholeText(result.output, blobs)), limits.promptValueBytes),
        ended: isDone(result) ? "" : howItEnded(result),
      };
    },
  };
}

function isDone({ end }: SandboxResult): boolean {
  return end.kind === "exit" && end.code === 0;
}

function howItEnded({ end }: SandboxResult): string {
  return end.kind === "exit" ? `exit ${end.code}` : end.kind;
}
