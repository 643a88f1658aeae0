import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import type { ServiceOptions } from "../cli/services.ts";
import { emptyConfig } from "../config/config.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { reachableServers } from "./servers.ts";

function blueprint(rest: string): Blueprint {
  const { blueprint, diagnostics } = check(`name: b\n${rest}`, { plugins: [post] });
  if (blueprint === null) throw new Error(JSON.stringify(diagnostics));
  return blueprint;
}

const post = {
  type: "post",
  class: "deterministic",
  fields: {},
  perform: () => Promise.resolve({ outcome: "success" } as const),
} as const;

const mcp = { notes: { command: ["notes"] }, wiki: { url: "http://127.0.0.1:9" } };

function reached(document: string | undefined, more: Partial<ServiceOptions> = {}): readonly string[] {
  const options = { config: { ...emptyConfig, mcp }, ...more } as ServiceOptions; // nothing else is looked at
  return Object.keys(
    reachableServers(document === undefined ? options : { ...options, blueprint: blueprint(document) }),
  );
}

const list = "nodes: {a: {type: tool, tool: list}}\n";
const notes = "nodes: {a: {type: tool, tool: mcp_notes_greet}}\n";

test.each([
  ["a tool of none", list, []],
  ["a tool of one", notes, ["notes"]],
  ["an agent with all tools", "nodes: {a: {type: agent, prompt: x}}\n", ["notes", "wiki"]],
  ["an agent with some", "nodes: {a: {type: agent, prompt: x, tools: [read, mcp_wiki_ask]}}\n", ["wiki"]],
  ["an agent with those of its document", "agent: {tools: [read]}\nnodes: {a: {type: agent, prompt: x}}\n", []],
  ["an agent of its own make", "nodes: {a: {type: agent, prompt: x, provider: claude}}\n", []],
])("%s", (_name, document, servers) => {
  expect(reached(document)).toEqual(servers);
});

test("what is called counts, and so does the configuration", () => {
  expect(reached(list, { callees: [blueprint(notes)] })).toEqual(["notes"]);
  const config = { ...emptyConfig, mcp, agent: { tools: ["mcp_notes_greet"] } };
  expect(reached("nodes: {a: {type: agent, prompt: x}}\n", { config })).toEqual(["notes"]);
});

test.each([
  ["that names no tool of theirs", {}, []],
  ["that names one", { tools: ["read", "mcp_wiki_ask"] }, ["wiki"]],
  ["that names all of one", { tools: ["mcp_notes_*"] }, ["notes"]],
  ["that names all there are", { tools: ["mcp_*"] }, ["notes", "wiki"]],
])("a node type of a plug-in %s", (_name, more, servers) => {
  const plugins = [{ name: "p", nodes: [{ ...post, ...more }] }];
  expect(reached("nodes: {a: {type: post}}\n", { plugins })).toEqual(servers);
});

test("where any blueprint may run, all are", () => {
  expect(reached(undefined)).toEqual(["notes", "wiki"]);
});
