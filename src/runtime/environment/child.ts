import path from "node:path";
import { classOf, type Node } from "../../model/node.ts";
import { inputVariable } from "../../model/input-variable.ts";
import { limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { scratchFile, writeScratch } from "../scratch/scratch.ts";
import { isGitPlace } from "../tree/git-folder.ts";
import { isForAgents } from "./allowed.ts";
import { isWithheld } from "./credentials.ts";
import { isSensitive, namedSecrets } from "./named-secrets.ts";
import { type ProjectParts, type ProjectRequest, projectVariables } from "./of-project.ts";

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentParts extends ProjectParts {
  /** The environment Trammel was started with. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /**
   * Folders of Trammel's installation: what lies in them is taken out of PATH, above all the Node it runs on itself.
   */
  readonly ownFolders: readonly string[];
  readonly redactor: Redactor;
  readonly blobs: BlobStore;
  /** A secret by name; null where it is not set. */
  readonly secret: (name: string) => Promise<string | null>;
}

export interface EnvironmentRequest extends ProjectRequest {
  readonly run: string;
  readonly taskId: string;
  readonly node: Node;
  /** Inputs by name, as text. A sensitive one reaches only the nodes that name it in `secrets:`. */
  readonly inputs: Environment;
  /** What the node's `env` binds, as text. */
  readonly env: Environment;
}

export type MakeEnvironment = (request: EnvironmentRequest) => Promise<Environment>;

/**
 * The environment of a child: the user's without credentials (an agent's: of it only what is on the allow-list), the
 * inputs, the node's secrets, the node's `env`, each over the one before. A value over 96 KiB is handed over as a file.
 */
export function childEnvironment(parts: EnvironmentParts): MakeEnvironment {
  const forScripts = inherited(parts, () => true);
  const forAgents = inherited(parts, isForAgents);
  return async (request) => {
    const { run, taskId, node, env } = request;
    const isAgent = classOf(node) === "agentic";
    const named = { ...inputVariables(request), ...(await secretsOf(request, parts)), ...env };
    const small = isSmall(named);
    return {
      ...without(isAgent ? forAgents : forScripts, [...withheldFrom(request), ...(small ? [] : Object.keys(named))]),
      ...(small ? named : await largeAsFiles(named, parts)),
      ...(isAgent ? {} : await projectVariables(request, parts)),
      TRAMMEL_RUN: run,
      TRAMMEL_TASK_ID: taskId,
      TRAMMEL_NODE: node.id,
    };
  };
}

/** The shell's notes on where it is; the child is elsewhere. */
const ofTheShell: ReadonlySet<string> = new Set(["OLDPWD", "PWD", "_"]);

function inherited({ base, ownFolders }: EnvironmentParts, allows: (name: string) => boolean): Environment {
  const kept = Object.entries(base).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const isElsewhere = ofTheShell.has(name) || isGitPlace(name);
    if (value === undefined || isWithheld(name) || isElsewhere || !allows(name)) return [];
    return [[name, name === "PATH" ? pathWithout(value, ownFolders) : value]];
  });
  return Object.fromEntries(kept);
}

function pathWithout(value: string, folders: readonly string[]): string {
  const isOwn = (entry: string): boolean =>
    folders.some((folder) => entry === folder || entry.startsWith(folder + path.sep));
  return value
    .split(path.delimiter)
    .filter((entry) => !isOwn(path.normalize(entry).replace(/\/$/, "")))
    .join(path.delimiter);
}

/** A secret that the document names is a secret for every node that does not name it. */
function withheldFrom({ blueprint, node }: EnvironmentRequest): readonly string[] {
  const named = namedSecrets(blueprint);
  return named.size === 0 ? [] : [...named].filter((name) => !(node.secrets ?? []).includes(name));
}

function without(variables: Environment, names: readonly string[]): Environment {
  if (names.length === 0) return variables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}

function inputVariables({ blueprint, inputs }: EnvironmentRequest): Environment {
  const plain = Object.entries(inputs).filter(([name]) => !isSensitive(blueprint, name));
  return Object.fromEntries(plain.map(([name, value]) => [inputVariable(name), value]));
}

/** Known as secret before the child can say it. */
async function secretsOf(
  { blueprint, node, inputs }: EnvironmentRequest,
  { redactor, secret }: EnvironmentParts,
): Promise<Environment> {
  const found: (readonly [string, string])[] = [];
  for (const name of node.secrets ?? []) {
    const isInput = isSensitive(blueprint, name);
    const value = isInput ? inputs[name] : await secret(name);
    if (value === null || value === undefined) continue;
    redactor.add(value);
    found.push([isInput ? inputVariable(name) : name, value]);
  }
  return Object.fromEntries(found);
}

function isSmall(variables: Environment): boolean {
  return Object.values(variables).every((value) => value.length * 3 <= limits.environmentValueBytes);
}

/** The system refuses a single variable of 128 KiB. */
async function largeAsFiles(variables: Environment, parts: EnvironmentParts): Promise<Environment> {
  const handed: (readonly [string, string])[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const small = Buffer.byteLength(value) <= limits.environmentValueBytes;
    handed.push(small ? [name, value] : [`${name}_FILE`, await fileFor(value, parts)]);
  }
  return Object.fromEntries(handed);
}

/** Blobs are kept with the history: what holds a secret is in a file that is gone with this process. */
async function fileFor(value: string, { redactor, blobs }: EnvironmentParts): Promise<string> {
  if (redactor.text(value) === value) return blobs.pathOf(await blobs.put(Buffer.from(value)));
  const file = scratchFile();
  await writeScratch(file, value);
  return file;
}
