import { statSync } from "node:fs";
import { join } from "node:path";
import type { BlobStore } from "../ports/blobs.ts";
import type { JournalReader } from "../ports/journal.ts";
import { nodeOutputs, type NodeOutput } from "../views/outputs.ts";
import type { Artifacts } from "../wire/artifacts.ts";
import { isFile, namesIn } from "./documents/files.ts";

export interface Artifact {
  readonly row: Artifacts["artifacts"][number];
  /** The whole text, where the journal holds it. */
  readonly text: string | null;
}

const patch = ".patch";

/** What a run left behind beside its journal: outputs of nodes, and patches of what changed in its boxes. */
export function artifactsOf(
  { journal, blobs, home }: { readonly journal: JournalReader; readonly blobs: BlobStore; readonly home: string },
  run: string,
): readonly Artifact[] {
  const outputs = nodeOutputs(journal.read(run)).map((output) => ofOutput(output, blobs));
  return [...outputs, ...patchesIn(patchFolder(home, run))];
}

/** Where the changes in the boxes of a run are kept. */
export function patchFolder(home: string, run: string): string {
  return join(home, "artifacts", run);
}

function ofOutput({ of, kind, captured }: NodeOutput, blobs: BlobStore): Artifact {
  const { node, pass, attempt } = of;
  const file = captured.blob === undefined ? null : blobs.pathOf(captured.blob);
  const name = `${encodeURIComponent(node)}.${pass}.${attempt}.${kind}.txt`;
  const missing = file !== null && !isFile(file);
  const cut = captured.cut === true;
  const row = { name, kind, node, pass, attempt, bytes: captured.bytes, file, cut, missing };
  return { row, text: file === null ? captured.text : null };
}

function patchesIn(folder: string): readonly Artifact[] {
  const names = namesIn(folder).filter((name) => name.endsWith(patch));
  return names.toSorted().map((name) => {
    const file = join(folder, name);
    const about = { node: name.slice(0, -patch.length), pass: null, attempt: null, cut: false, missing: false };
    return { row: { name, kind: "patch", file, bytes: statSync(file).size, ...about }, text: null };
  });
}
