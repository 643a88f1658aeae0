import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { limits } from "../../src/model/limits.ts";
import type { ToolContext, ToolRegistry, ToolResult } from "../../src/ports/tool.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { createTools } from "../../src/tools/registry.ts";
import { RunnerBench } from "./runner-bench.ts";

/** The real tools over a workspace of their own. */
export class ToolBench extends RunnerBench {
  readonly workspace = path.join(this.folder, "workspace");
  readonly dataFolder = path.join(this.workspace, ".trammel-data");
  readonly redactor = createRedactor();
  readonly tools: ToolRegistry;

  constructor(commands: Readonly<Record<string, string>> = {}) {
    super();
    mkdirSync(this.workspace);
    const tools = createTools({
      blobs: fileBlobs(this.blobs),
      redactor: this.redactor,
      dataFolder: this.dataFolder,
      commands,
    });
    if ("problems" in tools) throw new Error(tools.problems.join("\n"));
    this.tools = tools;
  }

  put(name: string, content: string | Uint8Array): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  at(name: string): string {
    return path.join(this.workspace, name);
  }

  call(
    name: string,
    args: Parameters<NonNullable<ReturnType<ToolRegistry["get"]>>["call"]>[0] = {},
    context: Partial<ToolContext> = {},
  ): Promise<ToolResult> {
    const tool = this.tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.call(args, {
      workspace: this.workspace,
      env: this.spec([]).env,
      processes: this.runner(),
      timeoutMs: 30_000,
      outputBytes: limits.outputDefaultBytes,
      signal: new AbortController().signal,
      ...context,
    });
  }
}
