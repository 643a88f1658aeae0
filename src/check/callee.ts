import type { ConcurrencySettings, WorkspaceSettings } from "../model/settings.ts";
import type { InputSpec, OutputSpec } from "../model/type-spec.ts";

/** What a call can know of the blueprint it runs, or why there is none to run. */
export type Callee =
  | {
      readonly name: string;
      readonly inputs: Readonly<Record<string, InputSpec>>;
      readonly outputs: Readonly<Record<string, OutputSpec>>;
      readonly workspace?: WorkspaceSettings;
      readonly concurrency?: ConcurrencySettings;
      /**
       * Of its content and of all that it calls, as a run would pin it; absent where something of that cannot be read.
       */
      readonly hash?: string;
      /**
       * What its task and inputs decide that untrusted text may not; those are left out whose declaration holds them.
       */
      readonly decides?: ReadonlyMap<string, string>;
    }
  | { readonly problem: string; readonly hint?: string };

/** Looks a callee up as a call names it; undefined when nothing is known of it here. */
export type CalleeOf = (reference: string) => Callee | undefined;
