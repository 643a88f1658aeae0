import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Of a process that was ended before it could remove it, such as a worker of vitest; and Node's own cache. */
const mayStay = /^(?:trammel-\d+\.\w+\.\w{6}|node-compile-cache)$/;

/** What a machine, its CI, a hook of Git or a person says to programs: to those of a test only the test does. */
const foreign =
  /^(?:FORCE_COLOR|NO_COLOR|CI|COLUMNS|LINES|EDITOR|VISUAL|LANGUAGE|LC_\w+|(?:TRAMMEL|GIT|OTEL|ANTHROPIC|OPENAI|GOOGLE|GEMINI|OLLAMA)_\w+|XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME)$/;

/**
 * Gives the suite an environment that is the same everywhere, and a temporary folder of its own, in which its tests
 * leave nothing.
 */
export function setup(): () => void {
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
  Object.assign(process.env, { TERM: "xterm-256color", LANG: "C.UTF-8" });
  process.umask(0o022);
  const folder = mkdtempSync(join(tmpdir(), "trammel-tests-"));
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => !mayStay.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`tests left in the temporary folder: ${left.join(", ")}`);
  };
}
