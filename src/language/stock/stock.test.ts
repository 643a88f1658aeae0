import { describe, expect, test } from "vitest";
import { check } from "../../check/check.ts";
import { classOf } from "../../model/node.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import { selectorOf } from "../../runtime/tree/globs.ts";
import { canonical } from "../canonical.ts";
import { print } from "../print.ts";
import { bindCommands } from "./bind.ts";
import { stockNodes } from "./set.ts";

function read(text: string): Blueprint {
  const { blueprint, diagnostics } = check(text);
  if (blueprint === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return blueprint;
}

test("no agentic stock node writes what Git runs at a commit", () => {
  const agents = [...stockNodes()].flatMap(([name, { node }]) => (node.type === "agent" ? [{ ...node, name }] : []));
  expect(agents).toHaveLength(7);
  const folders = [".git/hooks/pre-commit", ".husky/_/pre-commit", ".githooks/pre-commit"];
  const files = [".git/config", "lefthook.yml", "lefthook-local.yaml", ".lefthook.toml", ".pre-commit-config.yaml"];
  for (const { name, writes } of agents)
    expect([name, [...folders, ...files].filter(selectorOf(writes ?? []))]).toEqual([name, []]);
});

test("the caps of the agentic stock nodes are hard, and deterministic ones may run again after a crash", () => {
  const nodes = [...stockNodes()].map(([name, { node }]) => [name, node] as const);
  const agentic = nodes.filter(([, node]) => classOf(node) === "agentic");
  expect(Object.fromEntries(agentic.map(([name, { cap }]) => [name, cap]))).toEqual({
    implement: 1,
    "reproduce-bug": 1,
    "implement-fix": 1,
    "implement-migration": 1,
    "implement-refactor": 1,
    "fix-ci": 2,
    "fix-lint": 1,
  });
  const others = nodes.filter(([, node]) => classOf(node) !== "agentic");
  expect(others.map(([name]) => name).sort()).toEqual([
    "circular-deps-check",
    "create-pr",
    "execution-guardian-check",
    "git-branch",
    "git-commit",
    "git-push",
    "lint",
    "system-supervisor-quick-audit",
    "test",
    "type-check",
  ]);
  expect(others.every(([, node]) => node.idempotent)).toBe(true);
});

test("no stock node merges", () => {
  for (const { node } of stockNodes().values()) {
    expect(JSON.stringify(node)).not.toMatch(/\b(pr|git) merge\b|--auto\b|--admin\b/);
  }
});

const whole =
  "name: t\nflow: git-branch → implement → lint → [fix-lint] → (test & type-check) → [fix-ci] → git-commit → git-push → create-pr\n";

describe("a flow of stock nodes", () => {
  test("is a document of its own", () => {
    expect(check(whole).diagnostics).toEqual([]);
    expect(read(whole).nodes.size).toBe(10);
  });

  test("tells an agent in a bracket what the checks before it said", () => {
    const node = read(whole).nodes.get("fix-ci");
    expect(node?.type === "agent" && node.prompt.source).toContain(
      "What `test` said last:\n\n{test}\n\nWhat `type-check` said last:\n\n{type-check}\n",
    );
  });

  test("tells each use of it about its own check", () => {
    const { nodes } = read("name: t\nflow: lint -> [fix-ci] -> test -> [fix-ci]\n");
    const prompt = (id: string): string => {
      const node = nodes.get(id);
      return node?.type === "agent" ? node.prompt.source : "";
    };
    expect(prompt("fix-ci")).toContain("{lint}");
    expect(prompt("fix-ci")).not.toContain("{test}");
    expect(prompt("fix-ci#2")).toContain("{test}");
  });

  test("leaves a prompt of the document as it is", () => {
    const { nodes } = read('name: t\nflow: test -> [fix-ci]\nnodes: {fix-ci: {prompt: "Mend {test.stderr}"}}\n');
    expect(nodes.get("fix-ci")).toMatchObject({ prompt: { source: "Mend {test.stderr}" }, cap: 2 });
  });
});

describe("what a document lays over a stock node", () => {
  test("replaces field by field, env by name", () => {
    const { nodes } = read("name: t\nflow: git-commit\nnodes: {git-commit: {timeout: 5m, env: {GIT_EDITOR: cat}}}\n");
    expect(nodes.get("git-commit")).toMatchObject({
      type: "script",
      timeoutMs: 300_000,
      stock: "git-commit",
      env: { TASK: { source: "{task}" }, GIT_EDITOR: { source: "cat" } },
    });
  });

  test("adds to what an agent is given, and leaves what it may read and write", () => {
    const { nodes } = read(
      'name: t\nflow: test -> [fix-ci]\nnodes: {fix-ci: {context: {include: ["*.md"], only: require}}}\n',
    );
    expect(nodes.get("fix-ci")).toMatchObject({
      context: { include: ["*.md"], read: "repository", only: "require" },
      writes: expect.arrayContaining(["!*.test.*", "!.git/hooks/**"]),
    });
  });

  test("tells a pull request what the agents before it read, whatever they are called", () => {
    const mine = "{mine: {type: implement}, own: {type: agent, prompt: x}, other: {type: script, run: x}}";
    const { nodes } = read(`name: t\nflow: mine -> own -> other -> create-pr -> fix-ci\nnodes: ${mine}\n`);
    expect(nodes.get("create-pr")?.env?.["DRIFT"]?.source).toBe("{mine.drift}{own.drift}");
    const plain = read("name: t\nflow: create-pr\n").nodes.get("create-pr");
    expect(Object.keys(plain?.env ?? {})).toEqual(["TASK"]);
    const changed = read('name: t\nflow: implement -> create-pr\nnodes: {create-pr: {run: "true"}}\n');
    expect(Object.keys(changed.nodes.get("create-pr")?.env ?? {})).toEqual(["TASK"]);
  });

  test("works under any name by its type, in edges too", () => {
    const { nodes } = read("name: t\nentry: web\nnodes: {web: {type: lint, cwd: web}}\n");
    expect(nodes.get("web")).toMatchObject({ type: "script", stock: "lint", run: "pnpm turbo run lint", cwd: "web" });
  });

  test("a node with a type of its own is no stock node, whatever its name", () => {
    const { nodes } = read("name: t\nflow: test\nnodes: {test: {type: script, run: npm test}}\n");
    expect(nodes.get("test")).toEqual({ id: "test", type: "script", run: "npm test" });
  });

  test("a problem in it is shown where it stands", () => {
    const text = "name: t\nflow: lint\nnodes:\n  lint: {timeot: 5m}\n";
    const [problem] = check(text).diagnostics;
    expect(problem).toMatchObject({
      code: "unknown-field",
      message: "`timeot` is no field of script node `lint`; did you mean `timeout`?",
    });
    expect(text.slice(problem?.range.start, problem?.range.end)).toBe("timeot");
  });
});

test("reading what was printed gives the same stock nodes again", () => {
  const blueprint = read(`${whole}nodes: {lint: {timeout: 5m}, fix-ci: {cap: 1}}\n`);
  const again = read(print(blueprint));
  expect(again).toEqual(blueprint);
  expect(canonical(again)).toBe(canonical(blueprint));
});

test("what works with Git in a flow is told the branch that was made before it", () => {
  const nodesOf = (text: string): Blueprint["nodes"] => read(text).nodes;
  const flow = "flow: git-branch → implement → git-commit → git-push → create-pr";
  const env = (text: string, id: string): unknown =>
    nodesOf(`name: t\n${text}\n`).get(id)?.env?.["MADE_BRANCH"]?.source;
  for (const id of ["git-commit", "git-push", "create-pr"]) expect(env(flow, id)).toBe("{git-branch.stdout}");
  expect(env("flow: implement → git-commit", "git-commit")).toBeUndefined();
  expect(env(`${flow}\nnodes: {git-push: {run: git push}}`, "git-push")).toBeUndefined();
  expect(env(`${flow.replace("git-branch", "mine")}\nnodes: {mine: {type: git-branch}}`, "git-push")).toBe(
    "{mine.stdout}",
  );
});

describe("commands of the configuration", () => {
  const command = (text: string, commands: Record<string, string>): string => {
    const node = bindCommands(read(text), { commands, autofix: {} }).nodes.get("lint");
    return node?.type === "script" ? node.run : "";
  };

  test("replace the stock command, by the name of the stock node", () => {
    expect(command("name: t\nflow: lint\n", { lint: "npm run lint" })).toBe("npm run lint");
    expect(command("name: t\nflow: lint\n", { test: "npm test", constructor: "x" })).toBe("pnpm turbo run lint");
  });

  test("say what mends what the check finds, where the document does not", () => {
    const mend = (text: string): unknown => {
      const autofix = { lint: "npm run lint -- --fix", constructor: "x" };
      const node = bindCommands(read(text), { commands: {}, autofix }).nodes.get("lint");
      return node?.type === "script" ? node.autofix : null;
    };
    expect(mend("name: t\nflow: lint\n")).toBe("npm run lint -- --fix");
    expect(mend("name: t\nflow: lint\nnodes: {lint: {autofix: make fix}}\n")).toBe("make fix");
    expect(mend("name: t\nflow: lint\nnodes: {lint: {run: make lint}}\n")).toBeUndefined();
    expect(mend("name: t\nflow: test -> lint\nnodes: {lint: {type: test}}\n")).toBeUndefined();
  });

  test("leave a command that the document gives", () => {
    expect(command("name: t\nflow: lint\nnodes: {lint: {run: make lint}}\n", { lint: "npm run lint" })).toBe(
      "make lint",
    );
    expect(command("name: t\nflow: lint\nnodes: {lint: {type: script, run: make lint}}\n", { lint: "x" })).toBe(
      "make lint",
    );
  });
});
