import {
  client,
  methods,
  RequestError,
  type ClientConnection,
  type ClientContext,
  type NewSessionResponse,
  type StopReason,
} from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "../../model/agent-event.ts";
import { type Json, memberOf } from "../../model/json.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import type { Conversation } from "./conversation.ts";
import { Unfit } from "./faults.ts";
import { verdictOf } from "./permission.ts";
import { streamOf } from "./stream.ts";
import { confined, readText, shownPath, writeText } from "./workspace.ts";
import { introduce } from "./handshake.ts";

/** A session with an agent that runs as a child process. */
export interface Session {
  prompt(text: string): Promise<StopReason>;
  /** Asks the agent to stop its turn. */
  cancel(): void;
  /** Rejects once the agent is gone. */
  readonly closed: Promise<void>;
}

export interface SessionParts {
  readonly child: LiveProcess;
  readonly request: AgentRequest;
  readonly conversation: Conversation;
  readonly emit: (event: AgentEvent) => void;
  /** How long the agent may take to be ready. */
  readonly patience: AbortSignal;
  /** Its files are not ours: none is read or written for it. */
  readonly boxed: boolean;
  /** What the session is asked for with, beside what the protocol says. */
  readonly meta: Readonly<Record<string, Json>> | null;
}

/**
 * Connects to a started agent and opens a session in the workspace. Rejects with what the agent or the connection says.
 */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { request, conversation, patience, meta } = parts;
  const connection = connect(parts);
  const { agent } = connection;
  await introduce(agent, patience);
  const opened = await agent.request(
    methods.agent.session.new,
    { cwd: request.workspace, mcpServers: [], ...(meta === null ? {} : { _meta: meta }) },
    { cancellationSignal: patience },
  );
  if (request.model !== null) await chooseModel(agent, opened, request.model);
  const { sessionId } = opened;
  if (mayAskMore(opened)) await agent.request(methods.agent.session.setMode, { sessionId, modeId: askingMode });
  return {
    closed: connection.closed,
    async prompt(text) {
      const answer = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      conversation.endPrompt(memberOf(answer, "usage") ?? countedOf(memberOf(answer, "_meta")));
      return stopReasonOf(answer);
    },
    cancel: () => void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined),
  };
}

function connect({ child, request, conversation, emit, boxed }: SessionParts): ClientConnection {
  const { workspace } = request;
  const inside = (path: string): string => {
    const file = boxed ? null : confined(workspace, path);
    if (file === null) throw RequestError.invalidParams(undefined, `${path} is outside the workspace`);
    return file;
  };
  const app = client({ name: "trammel" })
    .onNotification(methods.client.session.update, ({ params }) => conversation.take(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => conversation.permit(params))
    // Not advertised, but some agents call them regardless.
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
      const file = inside(params.path);
      const path = shownPath(workspace, file);
      const { reads } = request;
      if (reads !== undefined && !(await reads.among([path])).has(path))
        throw RequestError.invalidParams(undefined, reads.refused(path));
      const content = await readText(file, params.line ?? 1, params.limit ?? null);
      reads?.claimed(path);
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      const file = inside(params.path);
      const verdict = verdictOf(request, { tool: "edit", kind: "edit", command: null, paths: [] });
      if (verdict.verdict !== "allowed" || conversation.over)
        throw RequestError.invalidParams(undefined, "the policy does not let it write");
      conversation.touch();
      const before = await writeText(workspace, file, params.content);
      emit({ type: "diff", path: shownPath(workspace, file), before, after: params.content });
      return {};
    });
  return app.connect(streamOf(child));
}

/** What agents call the mode in which they ask before they edit or run something. */
const askingMode = "default";

/** Some start in a mode in which they, or a model, decide what need not be asked; the policy decides that here. */
function mayAskMore({ modes }: NewSessionResponse): boolean {
  if (modes === undefined || modes === null || modes.currentModeId === askingMode) return false;
  return modes.availableModes.some(({ id }) => id === askingMode);
}

/** Answers are not checked by the SDK. */
function stopReasonOf(answer: unknown): StopReason {
  const said = memberOf(answer, "stopReason");
  const reason = stopReasons.find((known) => known === said);
  if (reason === undefined) throw RequestError.internalError(undefined, "it ended its turn in a way that is none");
  return reason;
}

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const;

/** Tokens as Gemini reports them. */
function countedOf(meta: unknown): unknown {
  const quota = memberOf(memberOf(meta, "quota"), "token_count");
  return { inputTokens: memberOf(quota, "input_tokens"), outputTokens: memberOf(quota, "output_tokens") };
}

/** A model that the agent does not offer is an error: another one is never used in its place. */
async function chooseModel(
  agent: ClientContext,
  { sessionId, configOptions }: NewSessionResponse,
  model: string,
): Promise<void> {
  const option = configOptions?.find((one) => one.category === "model");
  if (option?.type !== "select")
    throw new Unfit(`the agent does not let one choose its model; leave out "${model}" or set it up in the agent`);
  const choices = option.options.flatMap((one) => ("options" in one ? one.options : [one]));
  const short = model.slice(model.indexOf("/") + 1);
  const chosen = choices.find(({ value }) => value === model) ?? choices.find(({ value }) => value === short);
  if (chosen === undefined)
    throw new Unfit(`the agent has no model "${model}"; it has: ${choices.map(({ value }) => value).join(", ")}`);
  await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option.id, value: chosen.value });
}
