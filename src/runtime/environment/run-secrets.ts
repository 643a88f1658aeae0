import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { Given, RunSecrets } from "../../ports/secrets.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { isSensitive, namedSecrets } from "./named-secrets.ts";

export interface RunSecretsParts {
  readonly redactor: Redactor;
  /** A secret by name; null where it is not set. */
  readonly secret: (name: string) => Promise<string | null>;
  /**
   * Sensitive inputs are kept here (0700, files 0600) until their run is
   * over for good: it may go on in another process.
   */
  readonly folder: string;
  /** Told of a secret that is too short to be masked. */
  readonly notice: (what: string) => void;
}

type Inputs = Given["inputs"];

export function runSecrets(parts: RunSecretsParts): RunSecrets {
  const { redactor, folder } = parts;
  const fileOf = (run: string): string => path.join(folder, `${run}.json`);
  const maskAll = async (blueprint: Blueprint, sensitive: Inputs): Promise<readonly string[]> => {
    const refused = Object.entries(sensitive).flatMap(([name, value]) => mask(name, value, parts) ?? []);
    return [...refused, ...(await maskNamed(blueprint, parts))];
  };
  return {
    async guard(run, blueprint, { task, inputs }) {
      const sensitive = pick(inputs, (name) => isSensitive(blueprint, name));
      const missing = await maskAll(blueprint, sensitive);
      if (missing.length > 0) return { missing };
      if (Object.keys(sensitive).length > 0) keep(fileOf(run), sensitive);
      const plain = redactor.record(pick(inputs, (name) => !isSensitive(blueprint, name)));
      const hidden = Object.fromEntries(Object.keys(sensitive).map((name) => [name, "***"]));
      const masked = redactor.text(task);
      return {
        given: { task: masked, inputs: { ...plain, ...sensitive } },
        recorded: { task: masked, inputs: { ...plain, ...hidden } },
      };
    },
    async recall(run, blueprint, { task, inputs }) {
      const names = Object.keys(inputs).filter((name) => isSensitive(blueprint, name));
      const kept = names.length === 0 ? {} : read(fileOf(run));
      const lost = names.filter((name) => !Object.hasOwn(kept, name));
      if (lost.length > 0)
        return {
          missing: lost.map(
            (name) => `the sensitive input ${name} of run ${run} is not kept any more; start the run anew`,
          ),
        };
      const missing = await maskAll(blueprint, kept);
      return missing.length > 0 ? { missing } : { task, inputs: { ...inputs, ...kept } };
    },
    async lacking(blueprints) {
      const missing = await Promise.all([...blueprints].map((one) => maskNamed(one, parts)));
      return [...new Set(missing.flat())];
    },
    mask: (text) => redactor.text(text),
    forget: (run) => rmSync(fileOf(run), { force: true }),
  };
}

function pick(inputs: Inputs, wanted: (name: string) => boolean): Inputs {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => wanted(name)));
}

/** Answers why that cannot be, or null. */
function mask(name: string, value: Json, { redactor, notice }: RunSecretsParts): string | null {
  const inside = valuesIn(value);
  if (inside.length > limits.sensitiveValues)
    return `the sensitive input ${name} holds more than ${limits.sensitiveValues} values; put them into a file, and name the file`;
  if (inside.some((one) => one.length > limits.secretCharacters))
    return `${name} is a secret of more than ${limits.secretCharacters} characters, which is too long to be masked; put it into a file, and name the file`;
  const isMap = typeof value === "object" && value !== null;
  if (isMap) redactor.add(JSON.stringify(value));
  const isMasked = inside.map((one) => redactor.add(one));
  if (isMasked.includes(false))
    notice(
      isMap
        ? `${name} holds a value of fewer than ${limits.secretMinCharacters} characters: that is not masked in output`
        : `${name} has fewer than ${limits.secretMinCharacters} characters: it is not masked in output`,
    );
  return null;
}

/** Texts and numbers, each of which a reference may lead to. What is true or false is no secret by itself. */
function valuesIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesIn).filter(isNotBlank) : [];
}

function isNotBlank(text: string): boolean {
  return text.trim() !== "";
}

/**
 * What is wrong with secrets that the document names, as one that is not set; the others are masked from now on. A
 * sensitive input counts as set.
 */
async function maskNamed(blueprint: Blueprint, parts: RunSecretsParts): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of namedSecrets(blueprint)) {
    if (isSensitive(blueprint, name)) continue;
    const value = await parts.secret(name);
    if (value === null)
      missing.push(`the secret ${name} is not set; give it with trammel secret set ${name}, or in the environment`);
    else {
      const refused = mask(name, value, parts);
      if (refused !== null) missing.push(refused);
    }
  }
  return missing;
}

/** Whole or not at all: a run that goes on must not find half of it. */
function keep(file: string, sensitive: Inputs): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, JSON.stringify(sensitive), { mode: 0o600, flush: true });
  renameSync(temporary, file);
}

function read(file: string): Inputs {
  try {
    // Written by keep().
    return JSON.parse(readFileSync(file, "utf8")) as Inputs;
  } catch {
    return {};
  }
}
