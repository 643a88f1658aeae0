import { toText } from "../check/format.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Output } from "./output.ts";

/** Prints diagnostics with their code frames. */
export function printProblems(output: Output, file: string, text: string, problems: readonly Diagnostic[]): void {
  if (problems.length > 0) output.write(toText(problems, file, text));
}
