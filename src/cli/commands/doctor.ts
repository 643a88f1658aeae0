import { exitCodes } from "../../model/outcome.ts";
import { escaped } from "../../views/inert.ts";
import type { Health } from "../../wire/health.ts";
import { checkHealth } from "../doctor/health.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

/** Says what is there and how to mend what is not. Fails where something that every run needs is missing. */
export async function doctor(world: World, options: { readonly json?: true; readonly probe?: true }): Promise<number> {
  const checks = await checkHealth(world, options.probe === true);
  if (options.json === true) world.out.write(jsonLine({ checks }));
  else world.out.write(checks.map(line).join(""));
  return checks.some((one) => one.status === "missing") ? exitCodes.failed : exitCodes.ok;
}

const marks = { ok: "✓", missing: "✗", optional: "–" } as const satisfies Record<Health["status"], string>;

function line(one: Health): string {
  const mend = one.mend === null ? [] : one.mend.split("\n").map((way) => `    ${escaped(way)}\n`);
  return `${marks[one.status]} ${escaped(one.name).padEnd(14)} ${escaped(one.detail)}\n${mend.join("")}`;
}
