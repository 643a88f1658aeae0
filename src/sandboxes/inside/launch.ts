import type { SandboxCommand } from "../../ports/sandbox.ts";
import { launchAndSweep, launchOnly, valueVariable } from "./scripts.ts";

/** A command made ready for a box: `argv` holds names only, `variables` their values. */
export interface Launch {
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const shell = "/bin/sh";

/** With a `word` the launcher stays, waits and ends what is left; without, it becomes the command. */
export function launch(command: SandboxCommand, word: string | null): Launch {
  const entries = Object.entries(command.env);
  const script = word === null ? [launchOnly, "sh"] : [launchAndSweep, "sh", word];
  return {
    argv: [shell, "-c", ...script, command.cwd, ...entries.map(([name]) => name), "--", ...command.argv],
    variables: Object.fromEntries(entries.map(([, value], at) => [`${valueVariable}${at}`, value])),
  };
}

export function script(text: string, ...args: readonly string[]): readonly string[] {
  return [shell, "-c", text, "sh", ...args];
}
