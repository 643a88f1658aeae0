import { z } from "zod";
import type { TypeSpec } from "../../model/type-spec.ts";

const words = ["string", "number", "integer", "boolean", "json", "file", "path", "duration"] as const;

const typeShape: z.ZodType<TypeSpec> = z.lazy(() =>
  z.union([
    z.object({ kind: z.enum(words) }),
    z.object({ kind: z.literal("list"), of: typeShape }),
    z.object({ kind: z.literal("enum"), values: z.array(z.string()).min(1) }),
    z.object({ kind: z.literal("schema"), schema: z.record(z.string(), z.json()) }),
  ]),
);

const field = z.object({
  type: typeShape,
  required: z.boolean().optional(),
  references: z.boolean().optional(),
  description: z.string().min(1),
});

const node = z.object({
  type: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, "must be lower case letters, digits, _ and -"),
  class: z.enum(["deterministic", "agentic"]),
  fields: z.record(z.string(), field),
  tools: z.array(z.string()).optional(),
  missing: z.custom((value) => value === undefined || typeof value === "function", "must be a function").optional(),
  perform: z.custom((value) => typeof value === "function", "must be a function"),
});

const plugin = z.object({ name: z.string().min(1), nodes: z.array(node).min(1) });

/** Why what a module exports is no plug-in, in one clause; null where it is one. */
export function pluginFaultOf(exported: unknown): string | null {
  if (exported === undefined) return "the module has no default export";
  const parsed = plugin.safeParse(exported);
  if (parsed.success) return null;
  const [first] = parsed.error.issues;
  const where = first === undefined || first.path.length === 0 ? "its default export" : `\`${first.path.join(".")}\``;
  return `${where} is not as it has to be: ${first?.message ?? "it has another form"}`;
}
