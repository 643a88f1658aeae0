import { rm } from "node:fs/promises";
import type { Json } from "../../model/json.ts";
import { scratchFile, writeScratch } from "../../runtime/scratch/scratch.ts";

/** Its own names of what an agent is left: of tools that only read, and of the others. */
interface Left {
  readonly read: readonly string[];
  readonly rest: readonly string[];
}

/** How an agent of its own make is left only some of its tools. */
export interface ToolScope {
  /** Its own names for a tool of ours; what is not there it cannot be held to. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  readonly hold:
    | { readonly by: "arguments"; readonly argv: (left: Left) => readonly string[] }
    /** `flag` names the file, before its path. */
    | { readonly by: "file"; readonly flag: string; readonly text: (left: Left) => string }
    /** What the request for a session says of it. */
    | { readonly by: "session"; readonly meta: (left: Left) => Readonly<Record<string, Json>> };
}

/** What an agent is started with so that it keeps to its tools. */
export interface Held {
  readonly argv: readonly string[];
  readonly meta: Readonly<Record<string, Json>> | null;
  readonly dispose: () => Promise<void>;
}

const reading: ReadonlySet<string> = new Set(["read", "list", "search"]);

/** Why an agent cannot be held to these tools, or null. */
export function unheldTools(tools: readonly string[], scope: ToolScope, provider: string): string | null {
  const unknown = tools.find((tool) => !Object.hasOwn(scope.tools, tool));
  if (unknown === undefined) return null;
  return `provider ${provider} has no tool like "${unknown}"; of \`tools\` it can be held to ${Object.keys(scope.tools).join(", ")}`;
}

/** What holds an agent to these tools. `dispose` takes away what had to be written for it. */
export async function holdTo(tools: readonly string[], { tools: names, hold }: ToolScope): Promise<Held> {
  const own = (isWanted: (tool: string) => boolean): readonly string[] => [
    ...new Set(tools.filter(isWanted).flatMap((tool) => names[tool] ?? [])),
  ];
  const left = { read: own((tool) => reading.has(tool)), rest: own((tool) => !reading.has(tool)) };
  const nothing = (): Promise<void> => Promise.resolve();
  switch (hold.by) {
    case "arguments":
      return { argv: hold.argv(left), meta: null, dispose: nothing };
    case "session":
      return { argv: [], meta: hold.meta(left), dispose: nothing };
    case "file": {
      const file = scratchFile(".toml");
      await writeScratch(file, hold.text(left));
      return { argv: [hold.flag, file], meta: null, dispose: () => rm(file, { force: true }) };
    }
  }
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
  hold: {
    by: "file",
    flag: "--policy",
    text: ({ read, rest }) =>
      [rule(["*"], "deny", 900), rule(read, "allow", 950), rule(rest, "ask_user", 950)].join("\n"),
  },
};

function rule(tools: readonly string[], decision: string, priority: number): string {
  if (tools.length === 0) return "";
  return `[[rule]]\ntoolName = ${JSON.stringify(tools)}\ndecision = "${decision}"\npriority = ${priority}\n`;
}

/** Qwen's tools beside those that are like ours, and the servers of its user. */
const qwenOthers =
  "agent artifact ask_user_question create_sub_session cron_create cron_delete cron_list display_image enter_plan_mode enter_worktree " +
  "exec exit_plan_mode exit_worktree get_goal image_gen list_agents loop_wakeup lsp mcp__* monitor notebook_edit propose_goal " +
  "read_mcp_resource record_artifact record_source report_findings request_shutdown save_memory send_message skill task_create " +
  "task_list task_stop task_update team_create team_delete team_plan_approval todo_write tool_call tool_search update_goal " +
  "web_fetch web_search workflow zoom_image";

const qwenTools: ToolScope["tools"] = {
  read: ["read_file"],
  list: ["list_directory", "glob"],
  search: ["grep_search", "glob"],
  write: ["write_file"],
  edit: ["edit"],
  run: ["run_shell_command"],
};

/**
 * A list of the tools it is left, which its user's settings can add to, and one
 * of those it is not, which wins over all of them.
 */
export const qwenScope: ToolScope = {
  tools: qwenTools,
  hold: {
    by: "arguments",
    argv: ({ read, rest }) => {
      const left = [...read, ...rest];
      const others = [...qwenOthers.split(" "), ...Object.values(qwenTools).flat()];
      const not = [...new Set(others.filter((tool) => !left.includes(tool)))];
      // An empty list would be none.
      const only = left.length === 0 ? ["none"] : left;
      return ["--core-tools", ...only, "--exclude-tools", ...not, "--allowed-mcp-server-names", "none"];
    },
  },
};

/**
 * Claude is told its tools with the request for a session. Servers of its user's bring no more,
 * and what an agent below it would do, it cannot be given.
 */
export const claudeScope: ToolScope = {
  tools: {
    read: ["Read"],
    list: ["Glob"],
    search: ["Grep", "Glob"],
    write: ["Write"],
    edit: ["Edit"],
    run: ["Bash"],
  },
  hold: {
    by: "session",
    meta: ({ read, rest }) => ({
      claudeCode: { options: { tools: [...read, ...rest], strictMcpConfig: true, plugins: [], skills: [] } },
    }),
  },
};
