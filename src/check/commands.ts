import type { Reference } from "../model/template.ts";
import { nodeFields } from "../language/fields/nodes.ts";
import { parseTemplate, references } from "../language/template.ts";
import type { LocatedScalar } from "../language/tree.ts";
import { valueOf } from "../language/tree.ts";
import { inputVariable } from "../model/input-variable.ts";
import { executedArguments } from "../model/tools.ts";
import type { Source } from "../language/source.ts";

/** A text that is executed, never filled in. */
export interface Command {
  readonly node: string | undefined;
  readonly field: string;
  readonly language: "shell" | "code" | "name";
  readonly text: string;
  readonly scalar: LocatedScalar;
  /** Whether `{item}` and `{index}` mean something where it stands. */
  readonly inMap: boolean;
  /** Whether a reference would be filled in where it stands: it is refused, not left as text. */
  readonly filled?: true;
}

/** Fields that are executed or name something to execute, by path in a node. */
const fields = [
  ["shell", "run"],
  ["shell", "autofix"],
  ["shell", "command"],
  ["shell", "progress"],
  ["shell", "effect", "probe"],
  ["code", "body"],
  ["name", "tool"],
  ["name", "image"],
  ["name", "blueprint"],
  ["name", "cwd"],
  ["name", "workdir"],
] as const;

/** Every text of a document that is executed. */
export function* commandsOf(source: Source): Generator<Command> {
  const setup = valueOf(source.root, "workspace", "setup");
  if (setup?.kind === "scalar")
    yield {
      node: undefined,
      field: "workspace.setup",
      language: "shell",
      text: String(setup.value),
      scalar: setup,
      inMap: false,
    };
  const inMap = source.outer !== undefined;
  const seen = new Set<unknown>();
  for (const [id, { value }] of source.origins) {
    const node = source.drafts.get(id);
    if (value.kind !== "map" || seen.has(value) || node === undefined) continue;
    seen.add(value);
    for (const [language, ...path] of fields) {
      if (node.type !== "plugin" && !Object.hasOwn(nodeFields[node.type], path[0])) continue;
      const scalar = valueOf(value, ...path);
      if (scalar?.kind === "scalar" && scalar.value !== null)
        yield { node: id, field: path.join("."), language, text: String(scalar.value), scalar, inMap };
    }
    if (node.type !== "tool" || node.tool === undefined) continue;
    for (const name of executedArguments(node.tool)) {
      const scalar = valueOf(value, "args", name);
      if (scalar?.kind !== "scalar" || scalar.value === null) continue;
      const text = String(scalar.value);
      yield { node: id, field: `args.${name}`, language: "shell", text, scalar, inMap, filled: true };
    }
  }
}

/** What would be a reference if the text were a template; unknown names are left alone, they may be shell or code. */
export function referencesIn(command: Command, nodes: ReadonlyMap<string, unknown>): readonly Reference[] {
  if (!command.text.includes("{")) return [];
  const isNode = (name: string): boolean => nodes.has(name);
  return references(parseTemplate(command.text, isNode)).filter(
    (ref) =>
      ref.source === "task" ||
      ref.source === "inputs" ||
      isNode(ref.name) ||
      (ref.source !== "node" && command.inMap && command.language !== "code"),
  );
}

/** How to hand in the value instead. */
export function hintFor(command: Command, ref: Reference, written: string): string {
  if (command.language === "name") return `Write the ${command.field} itself.`;
  if (command.node === undefined) return setupHint(ref);
  const words = [ref.source === "node" || ref.source === "inputs" ? ref.name : ref.source, ...ref.path];
  const variable = words
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "_")
    .replace(/^(\d)/, "_$1");
  const quoted = written.replaceAll('"', "");
  if (command.language === "code") return `Hand it in: with: {${variable.toLowerCase()}: "${quoted}"}`;
  return `Pass it by the environment: env: {${variable}: "${quoted}"}, and use "$${variable}" in the command.`;
}

/** The command that prepares a worktree runs before any node, and has no fields of its own. */
function setupHint(ref: Reference): string {
  if (ref.source === "node")
    return "It runs before the first node, so no node has said anything: do it in a node instead.";
  const variable = inputVariable(ref.source === "inputs" ? ref.name : ref.source);
  return `It finds inputs in its environment: write "$${variable}".`;
}
