import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { type Receipt, receiptShape } from "../../wire/receipt.ts";
import type { ReadDefinition } from "./definition.ts";
import { blobsIn, factsOf } from "./facts.ts";
import { badInside } from "./inside.ts";
import { type BadPlace, brokenRecord } from "./records.ts";
import { wholeInside } from "./whole.ts";
import { sealOf, sha256, textOf } from "./text.ts";

export interface Verified {
  readonly receipt: Receipt;
  /** What could not be recomputed, one sentence each. */
  readonly notes: readonly string[];
}

/** Recomputes everything that a receipt says from what it holds; answers the first place that does not fit. */
export async function verifyReceipt(bytes: Uint8Array): Promise<Verified | BadPlace> {
  const read = readReceipt(bytes);
  if ("place" in read) return read;
  const { receipt, text } = read;
  const broken = brokenRecord(receipt.run, receipt.journal, "") ?? badDefinition(receipt) ?? badInside(receipt);
  if (broken !== null) return broken;
  const whole = wholeInside(receipt);
  if (whole.bad !== null) return whole.bad;
  const texts = [receipt.definition, ...(receipt.acceptedDefinitions ?? [])].map((one) => one?.text ?? null);
  const { facts, definitions } = await factsOf(receipt.journal.records, texts);
  if (facts === null) return { place: "journal.records[0]", problem: "it does not begin with the start of a run" };
  const named = blobsIn([receipt.journal.records, ...(receipt.inside ?? []).map((one) => one.journal.records)]);
  const { gone = [] } = receipt;
  if (gone.some((blob) => !named.has(blob))) return { place: "gone", problem: "no record names it" };
  const stray = wrongContent(receipt, definitions);
  if (stray !== null) return stray;
  const stated = new Map<string, unknown>(Object.entries(receipt));
  for (const [field, value] of Object.entries(facts))
    if (JSON.stringify(value) !== JSON.stringify(stated.get(field)))
      return { place: field, problem: "it is not what the records say" };
  const { seal, ...fields } = receipt;
  if (textOf(receipt) !== text) return { place: "file", problem: "it is not written as a receipt is" };
  if (sealOf(fields) !== seal) return { place: "seal", problem: "it does not fit what stands above it" };
  const notes = [
    ...texts.flatMap((text, i) => notesOn(text, definitions[i] ?? null)),
    ...notesOf(whole.untold),
    ...notesOnGone(gone),
  ];
  return { receipt, notes: [...new Set(notes)] };
}

function readReceipt(bytes: Uint8Array): { readonly receipt: Receipt; readonly text: string } | BadPlace {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    return { place: "file", problem: `it is no JSON: ${messageOf(error)}` };
  }
  const parsed = receiptShape.safeParse(value);
  // As it was read, keys in their order, and not as the shape would write it.
  if (parsed.success) return { receipt: value as Receipt, text };
  const [issue] = parsed.error.issues;
  return { place: pathText(issue?.path ?? []) || "file", problem: issue?.message ?? "it is no receipt" };
}

function badDefinition({ definition, acceptedDefinitions = [], accepted }: Receipt): BadPlace | null {
  const problem = "its text does not have this SHA-256";
  const isBad = (one: Receipt["definition"]): boolean => one !== null && sha256(one.text) !== one.sha256;
  if (isBad(definition)) return { place: "definition", problem };
  const bad = acceptedDefinitions.findIndex(isBad);
  if (bad >= 0) return { place: `acceptedDefinitions[${bad}]`, problem };
  return acceptedDefinitions.length === accepted.length
    ? null
    : { place: "acceptedDefinitions", problem: `there are ${accepted.length} that were accepted` };
}

function wrongContent(receipt: Receipt, definitions: readonly (ReadDefinition | null)[]): BadPlace | null {
  const stated = [receipt.content, ...receipt.accepted.map((one) => one.content)];
  const wrong = definitions.findIndex((one, i) => one !== null && one.content !== stated[i]);
  if (wrong < 0) return null;
  const place = wrong === 0 ? "content" : `accepted[${wrong - 1}].content`;
  return { place, problem: `the definition has the content hash ${definitions[wrong]?.content}` };
}

function notesOn(text: string | null, read: ReadDefinition | null): readonly string[] {
  if (text === null) return ["the definition was gone when it was written, so the content hash is as recorded"];
  if (read === null) return ["this version does not read the definition, so the content hash is as recorded"];
  const types = read.outside.join(", ");
  if (types === "") return [];
  return [`plug-ins carried out ${types}: what one did in Trammel's own process is not among the effects`];
}

function notesOf(untold: readonly string[]): readonly string[] {
  const names = untold.slice(0, limits.evidenceLines).join(", ");
  return names === ""
    ? []
    : [`nothing tells which runs were inside ${names}: one that was left out would not be noticed`];
}

function notesOnGone({ length }: readonly string[]): readonly string[] {
  const what = length === 1 ? "a full output" : `${length} full outputs`;
  return length === 0 ? [] : [`${what} that its records name had been removed when it was written`];
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
