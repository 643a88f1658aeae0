import type { Diagnostic } from "../model/diagnostic.ts";
import { readFields } from "../language/read/table.ts";
import { Reading } from "../language/read/reading.ts";
import { describe } from "../language/tree.ts";
import { readYaml } from "../language/yaml.ts";
import { fileFields } from "./fields.ts";
import type { TestFile } from "./file.ts";

export interface ParsedTests {
  /** Null where a problem left nothing to run. */
  readonly file: TestFile | null;
  readonly problems: readonly Diagnostic[];
}

/** Reads a test file; all problems at once. Names of nodes are judged later, against the blueprint. */
export function parseTests(source: string): ParsedTests {
  const problems: Diagnostic[] = [];
  const report = (problem: Diagnostic): boolean => problems.push(problem) > 0;
  const reading = new Reading(report);
  reading.owner = "the test file";
  const tree = readYaml(source, report);
  if (tree === null) return { file: null, problems };
  if (tree.kind !== "map") {
    const hint = "A test file is a map with `tests:`.";
    reading.problem("wrong-type", tree, `The document must be a map, not ${describe(tree)}`, hint);
    return { file: null, problems };
  }
  const file = readFields(tree, fileFields, reading);
  return { file: file ?? null, problems };
}
