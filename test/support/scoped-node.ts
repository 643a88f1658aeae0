import type { Blueprint } from "../../src/model/blueprint.ts";
import type { ScriptNode } from "../../src/model/node.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { WriteScope } from "../../src/nodes/write-scope.ts";
import type { ActionContext, Performer } from "../../src/ports/performer.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";

export interface ScopedNode {
  readonly writes?: readonly string[];
  readonly protect?: readonly string[];
  readonly records?: Blueprint["records"];
  readonly result?: NodeResult;
  readonly expect?: "failure";
}

/** Performs a node that does `work` in the folder `cwd`. What it wrote and may not is kept in the folder `blobs`. */
export function performScoped(
  scope: WriteScope,
  { cwd, blobs }: { readonly cwd: string; readonly blobs: string },
  { writes, protect, records = {}, result = { outcome: "success" }, expect: expected }: ScopedNode,
  work: () => unknown,
): Promise<NodeResult> {
  const node: ScriptNode = {
    id: "n",
    type: "script",
    run: "",
    ...(writes === undefined ? {} : { writes }),
    ...(expected === undefined ? {} : { expect: expected }),
  };
  const workspace = protect === undefined ? {} : { protect };
  const context = {
    cwd,
    node,
    blueprint: { workspace, records } as Blueprint,
    can: { blobs: fileBlobs(blobs) },
  } as unknown as ActionContext; // nothing else is looked at
  const performer: Performer = {
    type: "script",
    class: "deterministic",
    missing: () => null,
    async perform() {
      await work();
      return result;
    },
  };
  return scope(performer).perform(context);
}
