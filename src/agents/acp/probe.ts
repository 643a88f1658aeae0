import { client, type ClientContext, methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StartProcess } from "../../ports/processes.ts";
import { isForAgents } from "../../runtime/environment/allowed.ts";
import { authRequired } from "./faults.ts";
import type { AcpAgent } from "./presets.ts";
import { causeOf, untilGone } from "./gone.ts";
import { orStopped, timer } from "../../runtime/time/patience.ts";
import { streamOf } from "./stream.ts";
import { introduce } from "./handshake.ts";

/** What an agent says of itself when it is started and asked for nothing. */
export type AcpProbe =
  | { readonly version: string | null; readonly ready: true }
  /** It has to be logged in first, by one of these ways. */
  | { readonly version: string | null; readonly ready: false; readonly logins: readonly string[] }
  | { readonly fault: string };

/**
 * Starts an agent, opens a session in an empty folder and ends it: nothing is asked of its
 * model. `limits.acpProbeMs` at the longest; never rejects.
 */
export async function probeAcp(
  { argv, variables }: Pick<AcpAgent, "argv" | "variables">,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  { start, clock }: { readonly start: StartProcess; readonly clock: Clock },
): Promise<AcpProbe> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (isForAgents(name) || variables.includes(name)) ? [[name, value] as const] : [],
  );
  const child = await start({ argv, cwd: folder, env: Object.fromEntries(entries) });
  if ("kind" in child) return { fault: child.message };
  child.stderr.resume();
  const patience = timer(clock, limits.acpProbeMs);
  try {
    const { agent } = client({ name: "trammel" }).connect(streamOf(child));
    const asked = untilGone({ child, clock }, ask(agent, folder, patience.signal));
    const found = await orStopped(asked, patience.signal);
    return found === "stopped" ? { fault: `it has not answered within ${limits.acpProbeMs / 1000} s` } : found;
  } catch (error) {
    return { fault: messageOf(await causeOf({ child, clock }, error, Promise.resolve())) };
  } finally {
    patience.cancel();
    await child.kill();
  }
}

async function ask(agent: ClientContext, folder: string, patience: AbortSignal): Promise<AcpProbe> {
  const { agentInfo, authMethods } = await introduce(agent, patience);
  const version = agentInfo?.version ?? null;
  try {
    await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] }, { cancellationSignal: patience });
    return { version, ready: true };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== authRequired) throw error;
    return { version, ready: false, logins: (authMethods ?? []).map(({ name }) => name) };
  }
}
