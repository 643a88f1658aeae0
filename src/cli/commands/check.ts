import { check as checkText } from "../../check/check.ts";
import { toJson } from "../../check/format.ts";
import type { CheckedFile } from "../../check/sarif.ts";
import { exitCodes } from "../../model/outcome.ts";
import { readDocument } from "../document.ts";
import { isProblem, report } from "../problem.ts";
import { printProblems } from "../problems.ts";
import { version } from "../version.ts";
import type { World } from "../world.ts";

export type CheckFormat = "text" | "json" | "sarif" | "github";

/** Checks every file; offline, without the store. Warnings and notes never reject. */
export async function check(world: World, files: readonly string[], format: CheckFormat): Promise<number> {
  const checked: CheckedFile[] = [];
  let code: number = exitCodes.ok;
  for (const file of files) {
    const document = readDocument(file, world.cwd);
    if (isProblem(document)) {
      code = report(world, document);
      continue;
    }
    const { diagnostics, blueprint } = checkText(document.text);
    if (blueprint === null) code = exitCodes.usage;
    checked.push({ file, text: document.text, diagnostics });
  }
  await print(world, checked, format);
  return code;
}

async function print(world: World, checked: readonly CheckedFile[], format: CheckFormat): Promise<void> {
  switch (format) {
    case "text":
      for (const { file, text, diagnostics } of checked) printProblems(world.out, file, text, diagnostics);
      return;
    case "json": {
      const diagnostics = checked.flatMap((one) => toJson(one.diagnostics, one.file, one.text));
      return world.out.write(`${JSON.stringify({ diagnostics })}\n`);
    }
    case "sarif": {
      const { toSarif } = await import("../../check/sarif.ts");
      return world.out.write(`${JSON.stringify(toSarif(checked, version), null, 2)}\n`);
    }
    case "github": {
      const { toGithub } = await import("../../check/github.ts");
      return world.out.write(toGithub(checked));
    }
  }
}
