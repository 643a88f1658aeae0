import { existsSync, realpathSync } from "node:fs";
import { dirname, delimiter, join } from "node:path";
import { installedFolder } from "../../scripts/setup-agents.ts";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import type { Place } from "../e2e/support/cli.ts";

/** What scripts/setup-agents.ts leaves. */
const installed = installedFolder("agents");
export const areThere = existsSync(installed);

/** What the agents and their Node are made of, for a box to see. */
export const mounts: readonly string[] = [installed, dirname(dirname(realpathSync(process.execPath)))];

/** A real agent: a preset of ours by its name, and what its own tools are called. */
export interface Real {
  readonly name: "qwen" | "gemini";
  /** What its command starts. */
  readonly program: string;
  readonly edit: string;
  /** It ends its turn, without asking its model on, where it is told no. */
  readonly givesUp: boolean;
  /** What it offers its model beside others, and what of it `tools: [read, list]` leaves. */
  readonly tools: readonly string[];
  readonly left: readonly string[];
  /** The variables by which it finds a model. */
  reach(url: string): Readonly<Record<string, string>>;
}

export const key = "canary-of-the-agent-4e7";

export const reals: readonly Real[] = [
  {
    name: "qwen",
    program: join(installed, "node_modules", "@qwen-code", "qwen-code", "cli-entry.js"),
    edit: "edit",
    givesUp: true,
    tools: [
      "read_file",
      "list_directory",
      "glob",
      "grep_search",
      "write_file",
      "edit",
      "run_shell_command",
      "web_fetch",
      "agent",
      "skill",
      "todo_write",
      "tool_search",
    ],
    left: ["read_file", "list_directory", "glob"],
    reach: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url, OPENAI_MODEL: "scripted" }),
  },
  {
    name: "gemini",
    program: join(installed, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js"),
    edit: "replace",
    givesUp: false,
    tools: [
      "read_file",
      "list_directory",
      "write_file",
      "replace",
      "run_shell_command",
      "google_web_search",
      "web_fetch",
    ],
    left: ["read_file", "list_directory"],
    reach: (url) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: new URL(url).origin,
      GEMINI_MODEL: "gemini-2.5-pro",
    }),
  },
];

/** The environment of a command line whose agents see a home and a model of the test, and no other. */
export function environment(real: Real, place: Place, model: ModelServer): Readonly<Record<string, string>> {
  const path = [dirname(process.execPath), join(installed, "node_modules", ".bin"), process.env["PATH"] ?? ""];
  return { ...real.reach(model.url), HOME: place.path("home"), PATH: path.join(delimiter) };
}

/** What the agent's model says to mend `file`: it reads it, as its tools want it, and edits it. */
export function mends({ edit }: Real, file: string): Script {
  const change = { file_path: file, old_string: "a - b", new_string: "a + b", instruction: "Add." };
  return [
    { call: [{ tool: "read_file", input: { file_path: file } }] },
    { call: [{ tool: edit, input: change }] },
    { say: "It subtracted. Now it adds." },
  ];
}

/** A model for one test, gone with it. */
export async function modelFor(script: Script, whenDone: (close: () => Promise<void>) => void): Promise<ModelServer> {
  const model = await serveModel(script);
  whenDone(() => model.close());
  return model;
}
