import type { Json, JsonObject } from "./json.ts";
import type { Template } from "./template.ts";

export type ValueType = "string" | "number" | "integer" | "boolean" | "json" | "file" | "path" | "duration";

/** A type of the language; `schema` is a JSON Schema object. */
export type TypeSpec =
  | { readonly kind: ValueType }
  | { readonly kind: "list"; readonly of: TypeSpec }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "schema"; readonly schema: JsonObject };

export interface InputSpec {
  readonly type: TypeSpec;
  readonly description?: string;
  readonly default?: Json;
  readonly sensitive?: boolean;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
}

export interface OutputSpec {
  readonly type: TypeSpec;
  readonly from: Template;
}
