import type { AgentSettings } from "./agent-settings.ts";
import type { Edge } from "./edge.ts";
import type { Node } from "./node.ts";
import type { ConcurrencySettings, EscalateCause, RecordSettings, RunLimits, WorkspaceSettings } from "./settings.ts";
import type { InputSpec, OutputSpec } from "./type-spec.ts";

/**
 * A document after checking and expansion of `flow`, `next` and lists: one
 * edge per from × to × when, `entry` always known.
 */
export interface Blueprint {
  readonly name: string;
  readonly note?: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly outputs: Readonly<Record<string, OutputSpec>>;
  readonly agent: AgentSettings;
  readonly limits: RunLimits;
  readonly escalate: readonly EscalateCause[];
  readonly locale?: string;
  readonly records: RecordSettings;
  readonly workspace: WorkspaceSettings;
  readonly concurrency: ConcurrencySettings;
  readonly finally?: string;
  readonly entry: string;
  /** In document order, which never decides anything at run time. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
}
