import { classOf, type HumanNode, type Node } from "../model/node.ts";
import type { Json } from "../model/json.ts";
import { oneOfWords } from "../language/nearest.ts";
import type { Said } from "./file.ts";

/** Why a node cannot come to what a test says, as a sentence, or null. */
export function faultOf(said: Said, node: Node): string | null {
  if (node.type === "human") return faultOfAnswer(said, node);
  if (said.answer !== undefined || said.answers !== undefined || said.by !== undefined)
    return `\`${node.id}\` is no gate, so nobody answers it`;
  if (said.outcome === "success" && said.exit !== undefined && said.exit !== 0)
    return `\`${node.id}\` does not succeed with exit code ${said.exit}; leave out one of \`outcome\` and \`exit\``;
  if ((said.tokens !== undefined || said.cost !== undefined) && classOf(node) !== "agentic")
    return `\`${node.id}\` is no agent, so it uses no tokens`;
  const options = optionsOf(node);
  const option = said.option ?? said.word;
  if (option !== undefined && !options.includes(option))
    return options.length === 0
      ? `\`${option}\` is no outcome of \`${node.id}\`; it has success, failure, error and timeout`
      : `\`${option}\` is no option of \`${node.id}\`; it has ${oneOfWords(options)}`;
  if (options.length > 0 && option === undefined && (said.outcome ?? "success") === "success")
    return `\`${node.id}\` chooses one of ${oneOfWords(options)}; say which`;
  return null;
}

function faultOfAnswer(said: Said, node: HumanNode): string | null {
  if (said.outcome === "error") return `\`${node.id}\` is a gate: it is answered, or not in time`;
  if (said.outcome === "timeout")
    return node.timeoutMs === undefined ? `\`${node.id}\` has no timeout, so it waits for ever` : null;
  if (said.answers !== undefined && said.answer !== undefined)
    return `\`${node.id}\` has \`answer\` and \`answers\`; leave out one of them`;
  const faults = (said.answers ?? [undefined]).map((_, time) => faultOfOne(answerOf(said, node, time), node));
  return faults.find((fault) => fault !== null) ?? null;
}

function faultOfOne(answer: Json | undefined, node: HumanNode): string | null {
  if (answer === undefined) return `say what is answered at \`${node.id}\`: answer: …`;
  if (node.mode === "approval")
    return typeof answer === "boolean" ? null : `\`${node.id}\` is an approval; it is answered with yes or no`;
  const options = (node.options ?? []).map(({ id }) => id);
  if (node.mode === "choice")
    return typeof answer === "string" && options.includes(answer)
      ? null
      : `\`${node.id}\` is answered with ${oneOfWords(options)}`;
  if (node.mode === "form")
    return typeof answer === "object" ? null : `\`${node.id}\` is a form; it is answered with a map of its fields`;
  return typeof answer === "string" ? null : `\`${node.id}\` is answered with a text`;
}

const yes: ReadonlySet<Json> = new Set<Json>([true, "yes", "y", "ok"]);
const no: ReadonlySet<Json> = new Set<Json>([false, "no", "n"]);

/**
 * What a person answers who was asked `times` before, or undefined where the test does
 * not say. At an approval success is yes and failure no.
 */
export function answerOf(
  { answer: only, answers, word, option, outcome }: Said,
  { mode }: HumanNode,
  times: number,
): Json | undefined {
  const answer = answers?.[times] ?? answers?.at(-1) ?? only;
  const said = answer ?? word ?? option ?? (outcome === undefined ? undefined : outcome === "success");
  if (said === undefined || mode !== "approval")
    return typeof said === "boolean" && answer === undefined ? undefined : said;
  if (yes.has(said)) return true;
  return no.has(said) ? false : said;
}

/** What `when:` can name beside the outcomes: what is answered at a gate, too. */
export function choicesOf(node: Node): readonly string[] {
  return node.type === "human" ? (node.options ?? []).map(({ id }) => id) : optionsOf(node);
}

/** What a node that asks nobody can choose. */
export function optionsOf(node: Node): readonly string[] {
  if (node.type === "agent") return node.options ?? [];
  return node.type === "decide" ? [...node.options.map(({ id }) => id), "other"] : [];
}
