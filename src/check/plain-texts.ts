import type { Draft } from "../language/draft.ts";
import { nodeFields } from "../language/fields/nodes.ts";
import { isImageOfThisMachine } from "../model/sandbox.ts";
import type { Source } from "../language/source.ts";
import type { Located, LocatedScalar } from "../language/tree.ts";
import { valueOf } from "../language/tree.ts";

/** A text that is taken as it stands: neither filled in nor executed. */
export interface PlainText {
  /** "`writes` of node `mend`" or "`workspace.cwd`". */
  readonly field: string;
  readonly scalar: LocatedScalar;
}

/** Each is a path; `*` stands for every item of a list or entry of a map. */
const settings = ["provider", "model", "policy.allow.*", "policy.deny.*", "context.include.*", "context.read.*"];
const ofNodes = [
  ...settings,
  "title",
  "writes.*",
  "effect.done",
  "approvers.*",
  "mount.*",
  "network",
  "options.*.title",
].map(stepsOf);
const ofDocument = [
  ...settings.map((field) => `agent.${field}`),
  "workspace.cwd",
  "workspace.carry.*",
  "workspace.protect.*",
  "records.state",
  "records.counters",
  "records.timezone",
  "records.pr_template",
].map(stepsOf);

/** Every text of a document, or of the body of a map, in a field of its own that takes no reference. */
export function* plainTextsOf(source: Source): Generator<PlainText> {
  if (source.outer === undefined) yield* textsAt(source.root, ofDocument, "");
  const seen = new Set<unknown>();
  for (const [id, { value }] of source.origins) {
    const node = source.drafts.get(id);
    if (node === undefined || seen.has(value)) continue;
    seen.add(value);
    yield* textsAt(value, fieldsOf(node), ` of node \`${id}\``);
  }
}

/** Those that its type has and no other rule looks at. */
function fieldsOf(node: Draft): readonly (readonly string[])[] {
  if (node.type === "plugin") return [];
  const known = nodeFields[node.type];
  const isFixed = node.type === "provision" && node.image !== undefined && isImageOfThisMachine(node.image);
  return ofNodes.filter(([first = ""]) => Object.hasOwn(known, first) && !(isFixed && first === "network"));
}

function* textsAt(at: Located, fields: readonly (readonly string[])[], of: string): Generator<PlainText> {
  for (const steps of fields) {
    const field = `\`${steps.filter((step) => step !== "*").join(".")}\`${of}`;
    for (const scalar of scalarsAt(at, steps)) if (typeof scalar.value === "string") yield { field, scalar };
  }
}

function* scalarsAt(at: Located | undefined, steps: readonly string[]): Generator<LocatedScalar> {
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (at?.kind === "scalar") yield at;
  } else if (step !== "*") yield* scalarsAt(valueOf(at, step), rest);
  else if (at?.kind === "list") for (const item of at.items) yield* scalarsAt(item, rest);
  else if (at?.kind === "map") for (const { value } of at.entries) yield* scalarsAt(value, rest);
}

function stepsOf(path: string): readonly string[] {
  return path.split(".");
}
