import type { Json } from "../model/json.ts";

/** Arguments of a call, once the tool's schema has been checked. */
export type Arguments = Readonly<Record<string, Json>>;

export function textArgument(args: Arguments, name: string, otherwise = ""): string {
  const value = args[name];
  return typeof value === "string" ? value : otherwise;
}

export function numberArgument(args: Arguments, name: string, otherwise: number): number {
  const value = args[name];
  return typeof value === "number" ? value : otherwise;
}

export function listArgument(args: Arguments, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
