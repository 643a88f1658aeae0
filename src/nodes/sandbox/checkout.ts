import { rm } from "node:fs/promises";
import path from "node:path";
import type { CheckoutNode } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { boxWorkspace } from "../../model/sandbox.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext, Performer } from "../../ports/performer.ts";
import type { SandboxInUse, SandboxPool } from "../../ports/sandbox.ts";
import { resultOf } from "../process-result.ts";
import { boxEnvironment, boxOf, captured, faultResult, oneLine, resultInBox } from "./common.ts";
import { within } from "./within.ts";

/**
 * Performs `checkout` nodes. Where the box can reach the repository, Git clones it there; where it cannot, the host
 * fetches it and hands it in as a bundle. The output is the commit.
 */
export function createCheckoutPerformer(pool: SandboxPool, clock: Clock): Performer<CheckoutNode> {
  return {
    type: "checkout",
    class: "deterministic",
    missing: () => null,
    perform: (context) => within(context, clock, (signal) => checkout(context, pool, signal)),
  };
}

interface Wanted {
  readonly repo: string;
  /** Empty: what the repository itself says. */
  readonly ref: string;
  readonly into: string;
}

async function checkout(
  context: ActionContext<CheckoutNode>,
  pool: SandboxPool,
  signal: AbortSignal,
): Promise<NodeResult> {
  const box = await boxOf(context, pool, signal);
  if ("fault" in box) return faultResult(box, context);
  const wanted = await wantedBy(context);
  if (wanted.ref.startsWith("-") || wanted.repo === "")
    return bad(`there is no ref "${wanted.ref}" of "${wanted.repo}"`);
  const cloned =
    box.hasNetwork && isRemote(wanted.repo)
      ? await cloneInside(context, box, wanted.repo, wanted, signal)
      : await sendBundle(context, box, wanted, signal);
  if (cloned.outcome !== "success") return cloned;
  const base = cloned.output?.text.trim().split("\n").at(-1) ?? "";
  if (!/^[0-9a-f]{40,64}$/.test(base)) return bad("Git did not say which commit it checked out");
  const fault = await pool.checkedOut(box.sandbox.id, { node: context.node.id, path: wanted.into, base });
  if (fault !== null) return { outcome: "error", reason: { code: "sandbox", text: oneLine(fault.fault) } };
  return { outcome: "success", output: captured(base), exit: 0 };
}

async function wantedBy({ node, values, cwd }: ActionContext<CheckoutNode>): Promise<Wanted> {
  const repo = (await values.whole(node.repo)).trim();
  const into = node.path === undefined ? boxWorkspace : (await values.whole(node.path)).trim();
  return {
    repo: isRemote(repo) ? repo : path.resolve(cwd, repo),
    ref: node.ref === undefined ? "" : (await values.whole(node.ref)).trim(),
    into: path.posix.resolve(boxWorkspace, into),
  };
}

/** A URL, or the short form `host:path` of one. */
function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || /^[^/:]+:(?!\/\/)/.test(repo);
}

function bad(text: string): NodeResult {
  return { outcome: "failure", reason: { code: "exit", text } };
}

/**
 * Clones what `$1` names into `$2` at `$3`, and prints the commit as its last line. `$4` is what
 * its remote is called afterwards. `$5` marks the clone as that of this pass: what a killed
 * engine left of it is finished, at whatever point it was cut off.
 */
const clone = `
export GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL=file:git:http:https:ssh
command -v git >/dev/null || { echo "the image has no git" >&2; exit 127; }
mkdir -p -- "$2" && cd -- "$2" || exit 1
if [ "$(cat .git/trammel-checkout 2>/dev/null)" = "$5" ]; then
  rm -f .git/*.lock
else
  rm -rf .trammel-clone
  [ -z "$(ls -A)" ] || { echo "$2 is not empty" >&2; exit 1; }
  git clone --no-checkout -- "$1" .trammel-clone >&2 || exit 1
  [ -z "$4" ] || git -C .trammel-clone -c safe.directory=* remote set-url origin "$4" || exit 1
  echo "$5" >.trammel-clone/.git/trammel-checkout
  mv .trammel-clone/.git .git && rmdir .trammel-clone || exit 1
fi
git -c safe.directory=* -c advice.detachedHead=false checkout --force \${3:+"$3"} -- >&2 || exit 1
git -c safe.directory=* rev-parse HEAD`;

async function cloneInside(
  context: ActionContext<CheckoutNode>,
  box: SandboxInUse,
  source: string,
  { into, ref, repo }: Wanted,
  signal: AbortSignal,
): Promise<NodeResult> {
  const remote = source !== repo && isRemote(repo) ? withoutCredentials(repo) : "";
  const result = await box.sandbox.exec(
    {
      argv: ["sh", "-c", clone, "sh", source, into, ref, remote, passOf(context)],
      cwd: "/",
      env: await boxEnvironment(context, box.env),
      outputBytes: context.outputBytes,
      onLine: (text, stream) => context.report({ kind: "line", stream, text }),
      onStart: (process) => context.report({ kind: "process", process }),
    },
    signal,
  );
  const ended = resultInBox(result, context.timeoutMs);
  // Git's words go to its own stream; the answer alone is what the node says.
  return ended.outcome === "success" ? { outcome: "success", output: result.stdout } : ended;
}

function passOf({ run, node, attempt }: ActionContext): string {
  return `${run} ${node.id} ${attempt.pass}`;
}

async function sendBundle(
  context: ActionContext<CheckoutNode>,
  box: SandboxInUse,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<NodeResult> {
  const folder = await box.stage();
  if (typeof folder !== "string") return faultResult(folder, context);
  try {
    const mirror = path.join(folder, "mirror");
    const bundle = path.join(folder, "bundle");
    const fetched = await onHost(context, ["clone", "--mirror", "--quiet", "--", wanted.repo, mirror], signal);
    if (fetched !== null) return fetched;
    const packed = await onHost(
      context,
      ["--git-dir", mirror, "bundle", "create", "--quiet", bundle, "HEAD", "--all"],
      signal,
    );
    if (packed !== null) return packed;
    const inside = `/tmp/trammel/${context.node.id}.bundle`;
    const fault = await box.sandbox.copyIn(bundle, inside, signal);
    if (fault !== null) return faultResult(fault, context);
    return await cloneInside(context, box, inside, wanted, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A Git call of the engine's own: no hook, no prompt, no transport that runs a command. Null after success. */
async function onHost(
  context: ActionContext<CheckoutNode>,
  args: readonly string[],
  signal: AbortSignal,
): Promise<NodeResult | null> {
  const result = await context.can.processes.run(
    {
      argv: ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args],
      cwd: context.cwd,
      env: {
        ...(await context.environment()),
        GIT_TERMINAL_PROMPT: "0",
        GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
      },
      outputBytes: limits.toolOutputBytes,
      onStart: (process) => context.report({ kind: "process", process }),
    },
    signal,
  );
  const ended = resultOf(result, context.timeoutMs);
  return ended.outcome === "success" ? null : ended;
}

/** What a box must not keep in its configuration. */
function withoutCredentials(repo: string): string {
  return repo.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
