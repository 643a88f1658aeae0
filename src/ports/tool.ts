import type { Json, JsonObject } from "../model/json.ts";
import type { CapturedText } from "../model/outcome.ts";
import type { ProcessRunner } from "./processes.ts";
import type { Reads } from "./reads.ts";

/** What a tool may do at most: a policy decides by this, by name and, for commands, by the parsed command. */
export type ToolAccess = "read" | "write" | "command";

export interface ToolContext {
  /** Absolute root that every path stays in. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessRunner;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  /** For each process of a command. */
  readonly memoryBytes?: number;
  /** What an agent that calls it may read; absent where none does. */
  readonly reads?: Reads;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
}

export interface ToolResult {
  readonly outcome: "success" | "failure" | "error" | "cancelled";
  readonly output: CapturedText;
  readonly exit?: number;
  /** One line when the outcome is not success. */
  readonly problem?: string;
  readonly timedOut?: true;
  /** Processes that could not be ended. */
  readonly survivors?: readonly number[];
  /** Files changed, for the event stream. */
  readonly diffs?: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly access: ToolAccess;
  /** JSON Schema (an object) of the arguments. */
  readonly input: JsonObject;
  /** Never throws; a wrapped command's outcome is its exit. */
  call(args: Readonly<Record<string, Json>>, context: ToolContext): Promise<ToolResult>;
}

export interface ToolRegistry {
  get(name: string): Tool | undefined;
  names(): readonly string[];
}
