import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool as ServerTool,
  type Transport,
} from "@modelcontextprotocol/client";
import { limits } from "../../model/limits.ts";
import type { JsonObject } from "../../model/json.ts";
import { messageOf } from "../../model/thrown.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { StartProcess } from "../../ports/processes.ts";
import type { Tool, ToolResult } from "../../ports/tool.ts";
import { captureText } from "../../runtime/attempts/capture.ts";
import { isForAgents } from "../../runtime/environment/allowed.ts";
import { bounded } from "../../runtime/http/bounded.ts";
import type { Redactor } from "../../runtime/redaction/redactor.ts";
import { oneLine } from "../../runtime/text.ts";
import { readable } from "../answers.ts";
import { serverToolName } from "../names.ts";
import { transportTo } from "./transport.ts";

/** A server of the Model Context Protocol: a program to start, or an address. */
export interface McpServer {
  readonly command?: readonly string[];
  /** Names of variables of our environment that the program gets beside the common ones. */
  readonly variables?: readonly string[];
  readonly url?: string;
  /** Name of the variable that holds the bearer token of the address. */
  readonly key?: string;
}

export interface McpParts {
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute folder that programs are started in. */
  readonly cwd: string;
  readonly start: StartProcess;
  readonly blobs: BlobStore;
  readonly redactor: Redactor;
}

const answerBound = { bytes: limits.mcpAnswerBytes, lineBytes: limits.mcpMessageBytes };

export interface McpTools {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/**
 * Connects to all servers and offers their tools as `mcp_<server>_<tool>`. A server that
 * cannot be reached is a problem, and then none is left running.
 */
export async function connectServers(parts: McpParts): Promise<McpTools | { readonly problems: readonly string[] }> {
  const connected = await Promise.all(
    Object.entries(parts.servers).map(([name, server]) => connect(name, server, parts)),
  );
  const close = async (): Promise<void> => {
    await Promise.all(connected.flatMap((one) => ("close" in one ? [one.close()] : [])));
  };
  const tools = connected.flatMap((one) => ("tools" in one ? one.tools : []));
  const problems = [...connected.flatMap((one) => ("problem" in one ? [one.problem] : [])), ...twins(tools)];
  if (problems.length === 0) return { tools, close };
  await close();
  return { problems };
}

async function connect(
  name: string,
  server: McpServer,
  parts: McpParts,
): Promise<McpTools | { readonly problem: string }> {
  // The client waits on for what a stream that broke off should have said.
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const transport = await transportOf(server, parts, reject);
  if (typeof transport === "string") return { problem: `mcp.${name}: ${transport}` };
  const client = new Client({ name: "trammel", version: "1" });
  try {
    await Promise.race([client.connect(transport, { timeout: limits.mcpStartMs }), broken]);
    const signal = AbortSignal.timeout(limits.mcpStartMs);
    const { tools } = await Promise.race([client.listTools(undefined, { signal }), broken]);
    return { tools: tools.map((tool) => toolOf(name, tool, client, parts)), close: () => leave(client, transport) };
  } catch (error) {
    await transport.close().catch(() => undefined);
    return { problem: `mcp.${name}: it cannot be reached: ${oneLine(messageOf(error))}` };
  }
}

async function transportOf(
  server: McpServer,
  parts: McpParts,
  broken: (error: Error) => void,
): Promise<Transport | string> {
  const { command = [], url } = server;
  const [program, ...args] = command;
  if ((program === undefined) === (url === undefined)) return "it needs either a command or a url";
  if (url !== undefined)
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: headersOf(server, parts) },
      fetch: async (address, init) => bounded(await fetch(address, init), { ...answerBound, broken }),
    });
  const { environment, redactor, cwd, start } = parts;
  const named = new Set(server.variables);
  const entries = Object.entries(environment).flatMap(([key, value]) =>
    value !== undefined && (isForAgents(key) || named.has(key)) ? [[key, value] as const] : [],
  );
  for (const [key, value] of entries) if (named.has(key)) redactor.add(value);
  const child = await start({ argv: [program ?? "", ...args], cwd, env: Object.fromEntries(entries) });
  return "kind" in child ? child.message : transportTo(child);
}

/** A server at an address is told that its session is over; one that does not take it in time is left all the same. */
async function leave(client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limits.mcpCloseMs);
    await Promise.race([transport.terminateSession().catch(() => undefined), late]);
    clearTimeout(timer);
  }
  await client.close();
}

function headersOf({ key }: McpServer, { environment, redactor }: McpParts): Record<string, string> {
  const token = key === undefined ? undefined : environment[key];
  if (token === undefined) return {};
  redactor.add(token);
  return { authorization: `Bearer ${token}` };
}

function toolOf(server: string, tool: ServerTool, client: Client, { blobs, redactor }: McpParts): Tool {
  return {
    name: serverToolName(server, tool.name),
    description: tool.description ?? tool.title ?? tool.name,
    // What a server says of itself is believed as far as its user believes the server.
    access: tool.annotations?.readOnlyHint === true ? "read" : "command",
    input: tool.inputSchema as JsonObject, // parsed from JSON
    async call(args, context): Promise<ToolResult> {
      const options = { signal: context.signal, timeout: context.timeoutMs };
      try {
        const result = await client.callTool({ name: tool.name, arguments: { ...args } }, options);
        const output = await readable(await captureText(redactor.text(textOf(result.content)), blobs), blobs);
        return result.isError === true
          ? { outcome: "failure", output, problem: "the tool reports an error" }
          : { outcome: "success", output };
      } catch (error) {
        const output = { text: "", bytes: 0 };
        if (context.signal.aborted) return { outcome: "cancelled", output, problem: "cancelled" };
        if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
          const problem = `the server has not answered within ${context.timeoutMs / 1000} s`;
          return { outcome: "failure", output, problem, timedOut: true };
        }
        return { outcome: "error", output, problem: oneLine(redactor.text(messageOf(error))) };
      }
    },
  };
}

type Content = Awaited<ReturnType<Client["callTool"]>>["content"];

function textOf(content: Content): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function twins(tools: readonly Tool[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `two tools would be called ${name}`,
  );
}
