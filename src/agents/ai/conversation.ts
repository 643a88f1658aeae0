import type { Json, JsonObject } from "../../model/json.ts";

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

/** A tool call of the model; `problem` where its arguments are no JSON or there is no such tool. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly problem?: string;
}
