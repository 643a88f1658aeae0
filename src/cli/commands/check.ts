import { check as checkText } from "../../check/check.ts";
import { type DiagnosticJson, toJson } from "../../check/format.ts";
import { exitCodes } from "../../model/outcome.ts";
import { readDocument } from "../document.ts";
import { isProblem, report } from "../problem.ts";
import { printProblems } from "../problems.ts";
import type { World } from "../world.ts";

export type CheckFormat = "text" | "json";

/** Checks every file; offline, without the store. Warnings and notes never reject. */
export async function check(world: World, files: readonly string[], format: CheckFormat): Promise<number> {
  const all: DiagnosticJson[] = [];
  let code: number = exitCodes.ok;
  for (const file of files) {
    const document = readDocument(file, world.cwd);
    if (isProblem(document)) {
      code = report(world, document);
      continue;
    }
    const { diagnostics, blueprint } = checkText(document.text);
    if (blueprint === null) code = exitCodes.usage;
    if (format === "json") all.push(...toJson(diagnostics, file, document.text));
    else printProblems(world.out, file, document.text, diagnostics);
  }
  if (format === "json") world.out.write(`${JSON.stringify({ diagnostics: all })}\n`);
  return code;
}
