import picocolors from "picocolors";
import type { Output } from "../output.ts";

export type Palette = ReturnType<typeof picocolors.createColors>;

/** Colours only on a terminal that has them; `NO_COLOR` with any value but the empty one turns them off. */
export function palette(output: Output, env: Readonly<Record<string, string | undefined>>): Palette {
  const wanted = (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return picocolors.createColors(wanted && output.terminal);
}
