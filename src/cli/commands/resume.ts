import { drive, type DriveOptions } from "../drive.ts";
import { prepare, readConfig } from "../prepare.ts";
import { isProblem, report, usage } from "../problem.ts";
import { findRun, openStore } from "../stored-run.ts";
import type { World } from "../world.ts";

export interface ResumeOptions extends DriveOptions {
  readonly acceptChanges?: true;
}

/** Goes on with a run under the definition it started with. */
export async function resume(world: World, text: string, options: ResumeOptions): Promise<number> {
  const journal = await openStore(world);
  const row = findRun(journal, text);
  const definition = isProblem(row) ? null : journal.definition(row.definition);
  await journal.close();
  if (isProblem(row)) return report(world, row);
  if (definition === null) return report(world, usage(`the definition of run ${row.run} is gone from the store`));
  const config = await readConfig(world, row.cwd);
  if (typeof config === "number") return config;
  const prepared = await prepare(world, { name: row.blueprint, file: "", text: definition }, config);
  if (typeof prepared === "number") return prepared;
  const { exit } = await drive(world, prepared, row.cwd, options, ({ engine }, observer) =>
    engine.resume(
      {
        run: row.run,
        blueprint: prepared.blueprint,
        contentHash: prepared.contentHash,
        bindingHash: prepared.bindingHash,
        acceptChanges: options.acceptChanges === true,
      },
      observer,
    ),
  );
  return exit;
}
