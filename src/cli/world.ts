import type { Output } from "./output.ts";
import type { Composition } from "./services.ts";

/** What a command may touch of the process it runs in. */
export interface World {
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** True where a person can be asked: standard input and standard error are a terminal. */
  readonly interactive: boolean;
  /** Built on first use; the only way a command reaches an adapter. */
  readonly compose: () => Promise<Composition>;
}
