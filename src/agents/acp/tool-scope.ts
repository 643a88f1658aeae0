import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How an agent of its own make is left only some of its tools. */
export interface ToolScope {
  /** Its own names for a tool of ours; what is not there it cannot be held to. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  /** Names the file that says so, before its path. */
  readonly flag: string;
  /** What that file says. */
  readonly text: (read: readonly string[], rest: readonly string[]) => string;
}

const reading: ReadonlySet<string> = new Set(["read", "list", "search"]);

/** Why an agent cannot be held to these tools, or null. */
export function unheldTools(tools: readonly string[], scope: ToolScope, provider: string): string | null {
  const unknown = tools.find((tool) => !Object.hasOwn(scope.tools, tool));
  if (unknown === undefined) return null;
  return `provider ${provider} has no tool like "${unknown}"; of \`tools\` it can be held to ${Object.keys(scope.tools).join(", ")}`;
}

/** Writes what holds an agent to these tools; answers the arguments to start it with. `dispose` takes the file away. */
export async function holdTo(
  tools: readonly string[],
  { tools: names, flag, text }: ToolScope,
): Promise<{ readonly argv: readonly string[]; readonly dispose: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "trammel-tools-"));
  const file = join(folder, "tools.toml");
  const own = (isWanted: (tool: string) => boolean): readonly string[] =>
    tools.filter(isWanted).flatMap((tool) => names[tool] ?? []);
  await writeFile(
    file,
    text(
      own((tool) => reading.has(tool)),
      own((tool) => !reading.has(tool)),
    ),
  );
  return { argv: [flag, file], dispose: () => rm(folder, { recursive: true, force: true }) };
}

/** A policy of Gemini's: no tool but these, and those that change something only when asked for. */
export const geminiScope: ToolScope = {
  tools: {
    read: ["read_file"],
    list: ["list_directory"],
    search: ["grep_search", "glob"],
    write: ["write_file"],
    edit: ["replace"],
    run: ["run_shell_command"],
  },
  flag: "--policy",
  text: (read, rest) => [rule(["*"], "deny", 900), rule(read, "allow", 950), rule(rest, "ask_user", 950)].join("\n"),
};

function rule(tools: readonly string[], decision: string, priority: number): string {
  if (tools.length === 0) return "";
  return `[[rule]]\ntoolName = ${JSON.stringify(tools)}\ndecision = "${decision}"\npriority = ${priority}\n`;
}
