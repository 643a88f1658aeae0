import { adviceOn } from "./elsewhere.ts";
import { builtInTypes, isBuiltIn, nodeFields } from "./fields/nodes.ts";
import { oneOfWords } from "./nearest.ts";
import type { LocatedMap } from "./tree.ts";

/** Where a key belongs that stands among nodes and is none, as its indentation is wrong. */
export function placeOf(key: string): string | undefined {
  if (["edges", "entry", "flow", "inputs", "limits", "outputs", "workspace"].includes(key))
    return `\`${key}\` stands beside \`nodes\`: indent it less.`;
  return isNodeField(key) ? `\`${key}\` is a field of a node: indent it more than the name of the node.` : undefined;
}

/** Whether a node of some type has a field of this name. */
export function isNodeField(key: string): boolean {
  if (key === "type" || key === "next") return true;
  return builtInTypes.some((type) => isBuiltIn(type) && Object.hasOwn(nodeFields[type], key));
}

/** What a node is by a field that only its type has, or mostly. */
const typeByField: Readonly<Record<string, string>> = {
  run: "`type: script`",
  cmd: "`type: script`",
  command: "`type: script`",
  script: "`type: script`",
  prompt: "`type: agent`, or `type: human` where a person is asked",
  tool: "`type: tool`",
  over: "`type: map`",
  blueprint: "`type: call`",
  question: "`type: decide`",
  body: "`type: code`",
  image: "`type: provision`",
  repo: "`type: checkout`",
  for: "`type: wait`",
  until: "`type: wait`",
};

/** To add to "A" or "a": which type a node is of that says none. */
export function typeHint(value: LocatedMap): string {
  const telling = value.entries.find(({ key }) => Object.hasOwn(typeByField, key.source))?.key.source;
  if (telling !== undefined) return `dd ${typeByField[telling]}, as it has \`${telling}\`.`;
  const advice = value.entries.map(({ key }) => adviceOn(key.source, "node")).find((each) => each !== undefined);
  return advice === undefined ? `dd \`type:\` ${oneOfWords(builtInTypes)}.` : `dd a \`type:\`. ${advice.hint}`;
}
