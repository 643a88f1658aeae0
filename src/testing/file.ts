import type { Json } from "../model/json.ts";
import type { RunStatus } from "../model/outcome.ts";
import type { Money } from "../model/settings.ts";
import type { Entry, Placed } from "../language/read/collections.ts";
import type { Config } from "../config/config.ts";

/** What a test says that one attempt of a node comes to. */
export interface Said {
  readonly outcome?: "success" | "failure" | "error" | "timeout";
  /** One word that the type of the node gives its meaning: an option, or what a person answers. */
  readonly word?: string;
  /** Both streams, or the last message of an agent. */
  readonly output?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: number;
  readonly value?: Json;
  readonly ports?: Readonly<Record<string, Json>>;
  readonly option?: string;
  readonly answer?: Json;
  /** What a person answers each time that a gate is asked in one pass; the last stands for all further times. */
  readonly answers?: readonly Json[];
  /** Who answers a gate. */
  readonly by?: string;
  /** Written into the tree, by path; null removes. */
  readonly files?: Readonly<Record<string, string | null>>;
  readonly reason?: string;
  readonly beforeEffect?: boolean;
  /** What an agent uses of models; nothing where neither is said. */
  readonly tokens?: number;
  readonly cost?: Money;
}

/** The attempts of one pass. A single one stands for every attempt. */
export type PassScript = readonly Placed<Said>[];

/** The passes of a node: all alike, or exactly those of a list. */
export type NodeScript = { readonly each: PassScript } | { readonly passes: readonly PassScript[] };

/** What a file holds when the run is over: exactly, in part, or nothing because it is not there. */
export type FileExpectation = string | null | { readonly contains: string } | { readonly matches: string };

/** One line of a route: a node, or a pass of it as `node#2`, and how it ended, by outcome or option. */
export interface StepPattern {
  readonly node: string;
  readonly word?: string;
}

/** One step, several in any order, or any number of any (`…`). */
export type RouteItem =
  | { readonly kind: "steps"; readonly steps: readonly Placed<StepPattern>[] }
  | { readonly kind: "gap" };

export interface EscalationFields {
  readonly node?: Placed<string>;
  readonly iteration?: string;
  readonly reason?: string;
  readonly evidence?: string;
}

export interface Expectation {
  readonly route?: readonly RouteItem[];
  readonly outcome?: RunStatus;
  readonly exit?: number;
  readonly reason?: string;
  /** The block byte for byte, or some of its fields. */
  readonly escalation?: string | EscalationFields;
  readonly outputs?: readonly Entry<Json>[];
  readonly files?: readonly Entry<FileExpectation>[];
  readonly passes?: readonly Entry<number>[];
  readonly notStarted?: readonly Placed<string>[];
}

export interface TestCase {
  readonly name: string;
  readonly task?: string;
  readonly taskId?: string;
  readonly inputs?: readonly Entry<Json>[];
  readonly config?: Partial<Config>;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder, relative to the test file, that the run works in a copy of. */
  readonly fixture?: Placed<string>;
  /** Written over the copy. */
  readonly files?: Readonly<Record<string, string>>;
  /** Makes the copy a repository with one commit. */
  readonly git?: boolean;
  /** Folder, relative to the test file, of recordings that agents play. */
  readonly cassettes?: Placed<string>;
  readonly nodes?: readonly Entry<NodeScript>[];
  /** Nodes that are carried out for real. */
  readonly run?: readonly Placed<string>[];
  /** Files that tell what was done outside: no crash may leave them other than the run alone does. */
  readonly effects?: readonly string[];
  readonly expect: Expectation;
}

export interface TestFile {
  /** Relative to the test file; of the same name beside it when absent. */
  readonly blueprint?: Placed<string>;
  readonly tests: readonly Placed<TestCase>[];
}
