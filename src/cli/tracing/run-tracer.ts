import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import { isWrapper, type Node } from "../../model/node.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { EventBody, JournalEvent, NodeStarted, ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { NodeResult, Usage } from "../../model/outcome.ts";
import { zeroUsage } from "../../model/usage.ts";
import type { Callees, Observer } from "../../runtime/api.ts";
import { vendorOf } from "../../config/vendors.ts";
import { blueprintInside } from "../../graph/body.ts";

/** A model's answer: from when to when, and what it used. */
interface Turn {
  readonly from: number;
  readonly until: number;
  readonly used: Usage;
}

interface Open {
  readonly span: Span;
  readonly context: Context;
  /** Null where they are those of runs inside. */
  readonly turns: Turn[] | null;
  readonly tools: Map<string, Span>;
  /** When the model was last given something to answer, and what it had used by then. */
  asked: number;
  used: Usage;
}

export interface TracerParts {
  readonly tracer: Tracer;
  /** Null where it is not known what the run carries out. */
  readonly blueprint: Blueprint | null;
  readonly callees: Callees;
  /** What its spans stand in. */
  readonly around: Context;
  /** Which item of a map it is. */
  readonly item?: number;
  readonly over?: () => void;
}

/**
 * Makes spans of the events of a run, after OpenTelemetry's conventions for generative AI: the run, its attempts, and
 * of agents their turns and tools. Names, counts and codes only: no prompt, argument, output or reason in words.
 */
export class RunTracer implements Observer {
  readonly #parts: TracerParts;
  readonly #open = new Map<string, Open>();
  /** Of runs inside that are not over. */
  readonly #inside = new Set<RunTracer>();
  #root: { readonly span: Span; readonly context: Context } | null = null;
  #last = 0;

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  /** A run inside has its spans below that of the node around it. */
  inside({ node, item }: ParentLink): RunTracer {
    const { tracer, blueprint, callees } = this.#parts;
    const around = this.#open.get(node)?.context ?? this.#root?.context ?? ROOT_CONTEXT;
    const own = blueprint && blueprintInside(blueprint, node, callees);
    const over = (): void => void this.#inside.delete(inner);
    const place = item === undefined ? {} : { item };
    const inner: RunTracer = new RunTracer({ tracer, blueprint: own, callees, around, over, ...place });
    this.#inside.add(inner);
    return inner;
  }

  progress(): void {}

  event({ run, body, at }: JournalEvent): void {
    this.#last = at;
    this.#root ??= this.#begin(run, body, at);
    switch (body.type) {
      case "node.started":
        return this.#start(body, at);
      case "node.ended":
      case "node.retrying":
        return this.#end(body, body.result, at);
      case "node.unconfirmed":
        return this.#end(body, { outcome: "error", reason: body.reason }, at);
      case "agent.progressed":
        return this.#progress(body, body.event, at);
      case "run.finished":
        return this.#finish(body.status, at);
      default:
        return;
    }
  }

  /** A run that is let go of is not over; what of it was seen here is. */
  close(): void {
    for (const inner of this.#inside) inner.close();
    if (this.#root !== null) this.#finish("waiting", this.#last);
  }

  #begin(run: string, body: EventBody, at: number) {
    const { tracer, blueprint, around, item } = this.#parts;
    const name = blueprint?.name ?? (body.type === "run.started" ? body.blueprint : "");
    const place = item === undefined ? {} : { "trammel.map.index": item };
    const attributes = { "trammel.run.id": run, "trammel.blueprint.name": name, ...place };
    const span = tracer.startSpan(`run ${name}`, { startTime: new Date(at), attributes }, around);
    return { span, context: trace.setSpan(around, span) };
  }

  #start(body: NodeStarted, at: number): void {
    const { tracer, blueprint } = this.#parts;
    const node = blueprint?.nodes.get(body.node);
    const parent = this.#root?.context ?? ROOT_CONTEXT;
    const options = { startTime: new Date(at), attributes: attributesOf(body, node) };
    const span = tracer.startSpan(nameOf(body.node, node), options, parent);
    const context = trace.setSpan(parent, span);
    const wraps = node !== undefined && isWrapper(node);
    this.#open.set(body.node, {
      span,
      context,
      turns: wraps ? null : [],
      tools: new Map(),
      asked: at,
      used: zeroUsage,
    });
  }

  #progress({ node }: Attempt, event: AgentEvent, at: number): void {
    const open = this.#open.get(node);
    if (open === undefined) return;
    switch (event.type) {
      case "usage":
        if (open.turns !== null && open.turns.length < limits.agentTurnsMax)
          open.turns.push({ from: open.asked, until: at, used: difference(event.usage, open.used) });
        open.used = event.usage;
        open.asked = at;
        return;
      case "tool_call":
        if (open.tools.size < limits.agentTurnsMax) open.tools.set(event.id, this.#tool(open, event, at));
        return;
      case "tool_result": {
        const span = open.tools.get(event.id);
        if (span !== undefined) endSpan(span, at, event.ok ? null : "tool_error");
        open.tools.delete(event.id);
        open.asked = at;
        return;
      }
      default:
        return;
    }
  }

  #tool({ context }: Open, { id, tool }: Extract<AgentEvent, { type: "tool_call" }>, at: number): Span {
    const attributes = { ...toolAttributes(tool), "gen_ai.tool.call.id": id };
    return this.#parts.tracer.startSpan(`execute_tool ${tool}`, { startTime: new Date(at), attributes }, context);
  }

  #end({ node }: Attempt, { outcome, reason, usage, agent }: NodeResult, at: number): void {
    const open = this.#open.get(node);
    if (open === undefined) return;
    this.#open.delete(node);
    const { span } = open;
    const model = modelAttributes(agent);
    span.setAttributes({ "trammel.outcome": outcome, ...model, ...usageAttributes(usage) });
    for (const tool of open.tools.values()) endSpan(tool, at, "unfinished");
    for (const turn of open.turns ?? []) this.#turn(open, turn, model);
    endSpan(span, at, outcome === "failure" || outcome === "error" ? (reason?.code ?? outcome) : null);
  }

  #turn({ context }: Open, { from, until, used }: Turn, model: Attributes): void {
    const attributes = { "gen_ai.operation.name": "chat", ...model, ...usageAttributes(used) };
    const name = model["gen_ai.request.model"];
    const options = { startTime: new Date(from), attributes };
    this.#parts.tracer
      .startSpan(typeof name === "string" ? `chat ${name}` : "chat", options, context)
      .end(new Date(until));
  }

  #finish(status: Extract<EventBody, { type: "run.finished" }>["status"] | "waiting", at: number): void {
    for (const node of this.#open.keys()) this.#end({ node, pass: 0, attempt: 0 }, { outcome: "cancelled" }, at);
    this.#root?.span.setAttribute("trammel.run.status", status);
    if (this.#root !== null) endSpan(this.#root.span, at, fine.has(status) ? null : status);
    this.#root = null;
    this.#parts.over?.();
  }
}

const fine: ReadonlySet<string> = new Set(["succeeded", "waiting", "stopped"]);

function endSpan(span: Span, at: number, error: string | null): void {
  if (error !== null) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
  span.end(new Date(at));
}

function nameOf(id: string, node: Node | undefined): string {
  if (node?.type === "agent" || node?.type === "agent_sandbox") return `invoke_agent ${id}`;
  return node?.type === "tool" ? `execute_tool ${node.tool}` : `node ${id}`;
}

function attributesOf({ node: id, pass, attempt }: Attempt, node: Node | undefined): Attributes {
  const shared = { "trammel.node.id": id, "trammel.node.pass": pass, "trammel.node.attempt": attempt };
  const type = node === undefined ? {} : { "trammel.node.type": node.type };
  const agent = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": id };
  if (node?.type === "agent" || node?.type === "agent_sandbox") return { ...shared, ...type, ...agent };
  return node?.type === "tool" ? { ...shared, ...type, ...toolAttributes(node.tool) } : { ...shared, ...type };
}

function toolAttributes(tool: string): Attributes {
  return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
}

/** A vendor by the name that the conventions give it; an agent of its own make by its own. */
function modelAttributes(agent: NodeResult["agent"]): Attributes {
  if (agent === undefined) return {};
  const vendor = vendorOf(agent.model);
  const known = vendor === "google" ? "gcp.gemini" : vendor;
  return {
    "gen_ai.provider.name": known ?? agent.provider,
    ...(agent.model === undefined
      ? {}
      : { "gen_ai.request.model": vendor === null ? agent.model : agent.model.slice(vendor.length + 1) }),
  };
}

function usageAttributes(usage: Usage | undefined): Attributes {
  if (usage === undefined) return {};
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    ...(usage.cost === undefined ? {} : { "trammel.usage.cost": usage.cost }),
  };
}

function difference(now: Usage, before: Usage): Usage {
  return {
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    turns: now.turns - before.turns,
  };
}
