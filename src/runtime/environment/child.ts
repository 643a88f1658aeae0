import path from "node:path";
import { classOf, type Node } from "../../model/blueprint.ts";
import { limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { isForAgents } from "./allowed.ts";
import { isWithheld } from "./credentials.ts";

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentParts {
  /** The environment Trammel was started with. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Folders of Trammel's installation: what lies in them is taken out of PATH, above all the Node it runs on itself. */
  readonly ownFolders: readonly string[];
  readonly redactor: Redactor;
  readonly blobs: BlobStore;
  /** A secret by name; null where it is not set. */
  readonly secret: (name: string) => Promise<string | null>;
}

export interface EnvironmentRequest {
  readonly run: string;
  readonly node: Node;
  /** Inputs by name, as text; sensitive ones are left out. */
  readonly inputs: Environment;
  /** Sensitive inputs: a node gets one only by naming it in `secrets:`. */
  readonly sensitive?: Environment;
  /** What the node's `env` binds, as text. */
  readonly env: Environment;
}

/**
 * The environment of a child: the user's without credentials (an agent's: of it only what is on the allow-list), the inputs,
 * the node's secrets, the node's `env`, each over the one before. A value over 96 KiB is handed over as a file.
 */
export function childEnvironment(parts: EnvironmentParts): (request: EnvironmentRequest) => Promise<Environment> {
  const forScripts = inherited(parts, () => true);
  const forAgents = inherited(parts, isForAgents);
  return async ({ run, node, inputs, sensitive, env }) => {
    const secrets = await secretsOf(node, sensitive ?? {}, parts);
    const named = { ...inputVariables(inputs), ...secrets, ...env };
    return {
      ...(classOf(node) === "agentic" ? forAgents : forScripts),
      ...(isSmall(named) ? named : await largeAsFiles(named, parts.blobs)),
      TRAMMEL_RUN: run,
      TRAMMEL_NODE: node.id,
    };
  };
}

/** `TRAMMEL_INPUT_<NAME>`, as scripts read it. */
function inputVariable(name: string): string {
  return `TRAMMEL_INPUT_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** The shell's notes on where it is; the child is elsewhere. */
const ofTheShell: ReadonlySet<string> = new Set(["OLDPWD", "PWD", "_"]);

function inherited({ base, ownFolders }: EnvironmentParts, allows: (name: string) => boolean): Environment {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !isWithheld(name) && !ofTheShell.has(name) && allows(name)) kept[name] = value;
  }
  if (kept["PATH"] !== undefined) kept["PATH"] = pathWithout(kept["PATH"], ownFolders);
  return kept;
}

function pathWithout(value: string, folders: readonly string[]): string {
  const isOwn = (entry: string): boolean =>
    folders.some((folder) => entry === folder || entry.startsWith(folder + path.sep));
  return value
    .split(path.delimiter)
    .filter((entry) => !isOwn(path.normalize(entry).replace(/\/$/, "")))
    .join(path.delimiter);
}

function inputVariables(inputs: Environment): Environment {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]));
}

/** Known as secret before the child can say it. */
async function secretsOf(
  node: Node,
  sensitive: Environment,
  { redactor, secret }: EnvironmentParts,
): Promise<Environment> {
  const found: Record<string, string> = {};
  for (const name of node.secrets ?? []) {
    const input = sensitive[name];
    const value = input ?? (await secret(name));
    if (value === null) continue;
    redactor.add(value);
    found[input === undefined ? name : inputVariable(name)] = value;
  }
  return found;
}

function isSmall(variables: Environment): boolean {
  return Object.values(variables).every((value) => value.length * 3 <= limits.environmentValueBytes);
}

/** The system refuses a single variable of 128 KiB. */
async function largeAsFiles(variables: Environment, blobs: BlobStore): Promise<Environment> {
  const handed: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    const bytes = Buffer.from(value);
    if (bytes.length <= limits.environmentValueBytes) handed[name] = value;
    else handed[`${name}_FILE`] = blobs.pathOf(await blobs.put(bytes));
  }
  return handed;
}
