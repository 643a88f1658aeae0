import { expect, test } from "vitest";
import { fileBlobs } from "../runtime/blobs/files.ts";
import { createRedactor } from "../runtime/redaction/redactor.ts";
import { builtInToolNames, knownToolNames } from "./names.ts";
import { createTools } from "./registry.ts";

test("the names are those of the registry", () => {
  const tools = createTools({ blobs: fileBlobs(""), redactor: createRedactor(), dataFolder: "", commands: {} });
  if ("problems" in tools) throw new Error(tools.problems.join());
  expect([...builtInToolNames].sort()).toEqual([...tools.names()].sort());
});

test("named commands are known by name, tools of servers by the beginning of theirs", () => {
  const names = knownToolNames(["deploy"], ["my notes"]);
  expect(names.has("deploy")).toBe(true);
  expect(names.has("mcp_my_notes_*")).toBe(true);
});
