import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { SandboxVerdict } from "../../ports/sandbox.ts";
import type { Redactor } from "../../runtime/redaction/redactor.ts";
import type { DriverParts } from "../parts.ts";
import type { DriverName } from "./drivers.ts";

export interface PoolParts extends DriverParts {
  readonly redactor: Pick<Redactor, "stream">;
  /** The configured driver of images that come from an engine. */
  readonly driver?: DriverName;
  readonly owner: ProcessIdentity;
  readonly isAlive: (owner: ProcessIdentity) => boolean;
  /** What is to become of the boxes of a run. */
  readonly fateOf: (run: string) => SandboxVerdict;
  /** Whether a run is inside another, whose boxes it may use then. */
  readonly isInside: (run: string, around: string) => boolean;
  /** Value of a variable to forward, masked from then on wherever it shows; undefined where it is not set. */
  readonly variable: (name: string) => string | undefined;
}
