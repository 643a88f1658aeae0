import { basename, dirname } from "node:path";
import { realOf } from "../../runtime/tree/plain-file.ts";

/** Name of the cassette of one pass of a node in its folder. */
export function cassetteName(node: string, pass: number): string {
  return `${node.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.${pass}.jsonl`;
}

/** Those of some file names that are cassettes of a node's passes after the first. */
export function laterCassettes(names: readonly string[], node: string): readonly string[] {
  return names.filter((name) => {
    const pass = Number(/\.(\d+)\.jsonl$/.exec(name)?.[1]);
    return pass > 1 && name === cassetteName(node, pass);
  });
}

/** What a cassette is written to before it is whole. */
export function temporaryName(cassette: string): string {
  return `${cassette}.${process.pid}.tmp`;
}

/** Tells absolute paths of cassettes in `folder`, also of unfinished ones, from everything else that lies there. */
export function cassettesIn(folder: string): (file: string) => boolean {
  return (file) => {
    if (!/^[A-Za-z0-9_-]+\.\d+\.jsonl(\.\d+\.tmp)?$/.test(basename(file))) return false;
    const place = dirname(file);
    return place === folder || place === (realOf(folder) ?? folder);
  };
}
