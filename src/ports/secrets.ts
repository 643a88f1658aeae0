import type { Blueprint } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";

/** What a run is given from outside. */
export interface Given {
  readonly task: string;
  readonly inputs: Readonly<Record<string, Json>>;
}

export interface Guarded {
  /** As nodes see it: known secrets masked, inputs marked `sensitive` as they are. */
  readonly given: Given;
  /** As a journal may hold it: sensitive inputs masked too. */
  readonly recorded: Given;
}

/** Sentences that say which secret is not there and what to do. */
export interface SecretsMissing {
  readonly missing: readonly string[];
}

/** Secrets of runs: those that a document names, and inputs marked `sensitive`. Rejects where they cannot be kept. */
export interface RunSecrets {
  /** Before anything of a run is recorded. From here on its secrets are masked wherever they show up. */
  guard(run: string, blueprint: Blueprint, given: Given): Promise<Guarded | SecretsMissing>;
  /** For a run that goes on, maybe in another process: `recorded` with the sensitive inputs as they were. */
  recall(run: string, blueprint: Blueprint, recorded: Given): Promise<Given | SecretsMissing>;
  /**
   * What the blueprints of a run and of all that it calls name and is not there: a run
   * inside is to find what the one around it began with.
   */
  lacking(blueprints: Iterable<Blueprint>): Promise<readonly string[]>;
  /** A text that is told of a run, in which `***` stands for each secret that is known by now. */
  mask(text: string): string;
  /** The run is over for good. */
  forget(run: string): void;
}

/** The keyring of an operating system. Rejects, with a message for people, where it cannot be used. */
export interface Keyring {
  /** Null where it has none of that name. */
  find(name: string): Promise<string | null>;
  keep(name: string, value: string): Promise<void>;
  /** Nothing happens where there is none. */
  remove(name: string): Promise<void>;
}

export interface KeptSecret {
  readonly name: string;
  readonly where: "keyring" | "file";
}

/**
 * Secrets that a person has given to Trammel by name: in the keyring where
 * that works, else each in a file for its user alone.
 */
export interface SecretStore {
  /** In order of their names. */
  list(): readonly KeptSecret[];
  /** Null where none is kept. */
  find(name: string): Promise<string | null>;
  /** Where it is kept now, and why it is not the keyring. Rejects where it can be kept nowhere. */
  keep(name: string, value: string): Promise<{ readonly where: KeptSecret["where"]; readonly why?: string }>;
  /** False where there is none. */
  remove(name: string): Promise<boolean>;
}
