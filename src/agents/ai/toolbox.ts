import type { AgentEvent } from "../../model/agent-event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { isTooDeep, tooDeepText } from "../../model/nesting.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import type { Tool, ToolResult } from "../../ports/tool.ts";
import { compileSchema, type Validator } from "../../runtime/validation/schema.ts";
import { judgeIn } from "../policy/judge-in.ts";
import { shellLine } from "../../model/shell.ts";
import { messageOf } from "../../model/thrown.ts";
import { clip, type Mask } from "../../runtime/text.ts";
import { filesRead, forbiddenRead } from "../policy/command-reads.ts";
import { forbiddenFolder } from "../folder-reads.ts";
import type { ModelCall, ToolDefinition } from "./conversation.ts";

/** What goes back to the model. */
export interface CallReply {
  readonly ok: boolean;
  readonly text: string;
}

/** The tools of one agent run, under its scope and policy. */
export class Toolbox {
  readonly #request: AgentRequest;
  readonly #emit: (event: AgentEvent) => void;
  readonly #mask: Mask;
  readonly #names: readonly string[];
  readonly #validators = new Map<string, Validator | { readonly invalid: string }>();
  #touched = false;

  constructor(request: AgentRequest, emit: (event: AgentEvent) => void, mask: Mask) {
    this.#request = request;
    this.#emit = emit;
    this.#mask = mask;
    const { toolScope } = request;
    this.#names = request.tools.names().filter((name) => toolScope === null || toolScope.includes(name));
  }

  /** True once a tool that may have an effect was started. */
  get touched(): boolean {
    return this.#touched;
  }

  definitions(): readonly ToolDefinition[] {
    return this.#names.flatMap((name) => this.#request.tools.get(name) ?? []);
  }

  /** Carries a call out, or says why not. Whatever happens is an answer for the model. */
  async call(call: ModelCall, signal: AbortSignal): Promise<CallReply> {
    const reply = await this.#answer(call, signal);
    const bounded = { ok: reply.ok, text: clip(this.#mask(reply.text), limits.toolOutputBytes) };
    this.#emit({ type: "tool_result", id: call.id, tool: call.tool, ok: bounded.ok, output: bounded.text });
    return bounded;
  }

  async #answer(call: ModelCall, signal: AbortSignal): Promise<CallReply> {
    const tool = this.#names.includes(call.tool) ? this.#request.tools.get(call.tool) : undefined;
    if (tool === undefined) return no(`there is no tool "${call.tool}" here; there are: ${this.#names.join(", ")}`);
    if (call.problem !== undefined) return no(`the arguments could not be read: ${call.problem}`);
    const args = await this.#checkArguments(tool, call.input);
    if ("problem" in args) return no(`the arguments do not fit: ${args.problem}`);
    const refused = (await this.#forbidden(tool, args.args)) ?? (await this.#refusal(tool, args.args));
    if (refused !== null) return no(refused);
    if (signal.aborted) return no("cancelled");
    if (tool.access !== "read") this.#touched = true;
    return this.#carryOut(tool, args.args, signal);
  }

  async #checkArguments(
    tool: Tool,
    input: Json,
  ): Promise<{ readonly args: JsonObject } | { readonly problem: string }> {
    if (!isJsonObject(input)) return { problem: "they must be a JSON object" };
    if (isTooDeep(input)) return { problem: `they are ${tooDeepText}` };
    const validate = this.#validators.get(tool.name) ?? (await compileSchema(tool.input, { foreign: true }));
    this.#validators.set(tool.name, validate);
    if (typeof validate !== "function") return { problem: `the tool's schema cannot be used: ${validate.invalid}` };
    const problem = validate(input);
    return problem === null ? { args: input } : { problem };
  }

  /** What a command names has to be among what may be read; the tools that read see to it themselves. */
  async #forbidden(tool: Tool, args: JsonObject): Promise<string | null> {
    const { reads, workspace, env } = this.#request;
    const command = commandOf(tool, args) ?? argumentsOf(tool, args);
    if (reads?.limited !== true || command === null) return null;
    try {
      const path = await forbiddenRead(command, workspace, reads);
      if (path !== null) return reads.refused(path);
      const below = await forbiddenFolder(command, workspace, reads, env);
      if (below === null) return null;
      const why = below.file === null ? "it holds more files than can be looked at" : reads.refused(below.file);
      return `the command goes through the folder ${below.folder}: ${why}; name the files, or use the \`search\` tool, which is held to what may be read`;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Asks the policy, and where it says so a person. */
  async #refusal(tool: Tool, args: JsonObject): Promise<string | null> {
    const { policy, ask, tools, workspace } = this.#request;
    const command = commandOf(tool, args);
    const isTool = (name: string): boolean => tools.get(name) !== undefined;
    const judged = judgeIn(workspace, policy, { tool: tool.name, access: tool.access, command, isTool });
    if (judged.verdict === "allowed") return null;
    const request = command ?? JSON.stringify(args);
    const answer = judged.verdict === "ask" ? await (ask?.(`${tool.name}: ${request}`) ?? "nobody") : judged;
    const granted = answer === "granted";
    this.#emit({ type: "permission", tool: tool.name, request, decision: granted ? "allowed" : "denied" });
    if (granted) return null;
    if (answer === "nobody") return "not permitted: the policy is ask, and nobody can be asked here";
    return answer === "declined" ? "not permitted: a person said no" : `not permitted: ${answer.why}`;
  }

  async #carryOut(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<CallReply> {
    const { workspace, env, processes, outputBytes, reads } = this.#request;
    const held = reads === undefined ? {} : { reads };
    const context = { workspace, env, processes, timeoutMs: limits.toolTimeoutMs, outputBytes, signal, ...held };
    const command = commandOf(tool, args);
    if (command !== null) for (const path of filesRead(command, workspace)) reads?.claimed(path);
    try {
      const result = await tool.call(args, context);
      for (const { path, before, after } of result.diffs ?? []) this.#emit({ type: "diff", path, before, after });
      return { ok: result.outcome === "success", text: textOf(result) };
    } catch (error) {
      // A tool never throws; one that does anyway must not take the run with it.
      return no(`the tool failed: ${messageOf(error)}`);
    }
  }
}

function no(text: string): CallReply {
  return { ok: false, text };
}

/** The shell text of a tool that runs what it is given; null for a fixed command, which goes by its name. */
function commandOf(tool: Tool, args: JsonObject): string | null {
  const command = args["command"];
  return tool.access === "command" && typeof command === "string" ? command : null;
}

/** What a fixed command is handed, as if one that reads were. */
function argumentsOf(tool: Tool, args: JsonObject): string | null {
  const more = args["args"];
  if (tool.access !== "command" || !Array.isArray(more)) return null;
  return shellLine(["cat", ...more.map(String)]);
}

function textOf(result: ToolResult): string {
  const output = result.output.text;
  if (result.outcome === "success") return output;
  const exit = result.exit === undefined ? result.outcome : `exit ${result.exit}`;
  const why = result.timedOut === true ? "timed out" : (result.problem ?? exit);
  return output === "" ? why : `${why}\n${output}`;
}
