import type { Blueprint } from "../../model/blueprint.ts";
import type { DecideNode } from "../../model/node.ts";
import type { NodeResult } from "../../model/outcome.ts";
import type { Reference, Template } from "../../model/template.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import { judge, type Looked } from "../../runtime/decisions/rules.ts";
import { type Known, RunValues } from "../../runtime/values.ts";
import type { Choose } from "../../views/decisions.ts";

/** What was recorded of a run that `decide` nodes look at. */
type Facts = Omit<Known, "results"> & { readonly blueprint: Pick<Blueprint, "inputs"> };

/**
 * Has the rules of `decide` nodes choose from recorded values; no model is asked. What was not recorded is said, and
 * then the option that was recorded, else the first, is the guess.
 */
export function chooserOf(facts: Facts, blobs: BlobStore): Choose {
  return async (node, recorded, { results, guessed }) => {
    if (!node.by.includes("rules")) return null;
    const known = { ...facts, results };
    const lacking = await lackingIn(node.about, known, guessed, blobs);
    if (lacking !== null) return { option: guessOf(node, recorded), guess: lacking };
    const looked = await look(node.about, known, blobs);
    const first = await judge(node.options, looked, "first");
    if ("problem" in first) return { option: guessOf(node, recorded), guess: first.problem };
    if (first.option !== null) return { option: first.option, guess: null };
    const asksOthers = node.by.some((chooser) => chooser !== "rules");
    // What was recorded stands for what a model would say.
    if (asksOthers && isOption(node, recorded?.option)) return null;
    const fallback = await judge(node.options, looked, "fallback");
    if ("problem" in fallback) return { option: guessOf(node, recorded), guess: fallback.problem };
    if (!asksOthers) return { option: fallback.option ?? "other", guess: null };
    return { option: fallback.option ?? guessOf(node, recorded), guess: "no rule fits, and no model is asked" };
  };
}

function isOption({ options }: DecideNode, option: string | undefined): option is string {
  return option === "other" || options.some(({ id }) => id === option);
}

function guessOf(node: DecideNode, recorded: NodeResult | undefined): string {
  const option = recorded?.option;
  return isOption(node, option) ? option : (node.options[0]?.id ?? "other");
}

async function look(about: Template, known: Known, blobs: BlobStore): Promise<Looked> {
  const values = new RunValues(known, blobs);
  const [text, value] = [await values.whole(about), await values.value(about)];
  const [only, ...more] = about.parts;
  const ref = only !== undefined && more.length === 0 && "ref" in only ? only.ref : undefined;
  const result = ref?.source === "node" ? known.results.get(ref.name) : undefined;
  return { text, value, exit: result?.exit ?? null };
}

/** Why a value that is looked at is not known; null where all are. One that was not there yet is known to be empty. */
async function lackingIn(
  { parts }: Template,
  known: Known & Facts,
  guessed: ReadonlySet<string>,
  blobs: BlobStore,
): Promise<string | null> {
  for (const part of parts) {
    const lacking = "ref" in part ? await lackingAt(part.ref, known, guessed, blobs) : null;
    if (lacking !== null) return lacking;
  }
  return null;
}

async function lackingAt(
  { source, name }: Reference,
  { blueprint, inputs, results, outer }: Known & Facts,
  guessed: ReadonlySet<string>,
  blobs: BlobStore,
): Promise<string | null> {
  switch (source) {
    case "task":
      return null;
    case "inputs":
      if (blueprint.inputs[name]?.sensitive === true) return `{inputs.${name}} is sensitive, so it was not recorded`;
      return Object.hasOwn(inputs, name) ? null : `{inputs.${name}} was not recorded`;
    case "item":
    case "index":
      return outer === undefined ? `{${source}} was not recorded` : null;
    case "node": {
      const result = results.get(name);
      if (guessed.has(name)) return `what ${name} would say was not recorded`;
      if (result !== undefined && saysNothing(result)) return `{${name}} was not recorded`;
      const blob = (result?.stdout ?? result?.output)?.blob;
      return blob === undefined || (await blobs.get(blob)) !== null ? null : `the output of ${name} is kept no more`;
    }
  }
}

/** As a result does that somebody said, or that would have been another. */
function saysNothing({ outcome, output, value, ports, option }: NodeResult): boolean {
  return outcome === "success" && output === undefined && value === undefined && ports === undefined && !option;
}
