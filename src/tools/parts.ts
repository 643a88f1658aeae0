import type { BlobStore } from "../ports/blobs.ts";
import type { Redactor } from "../runtime/redaction/redactor.ts";

/** What the tools are made with. */
export interface ToolParts {
  readonly blobs: BlobStore;
  readonly redactor: Redactor;
  /** Trammel's data folder: no tool reads or writes in it. */
  readonly dataFolder: string;
  /** Named commands of the configuration: shell text by tool name. */
  readonly commands: Readonly<Record<string, string>>;
}
