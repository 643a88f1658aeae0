import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "../../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../../fixtures/model-server/server.ts";
import { type Finished, Place, root, trammel } from "./cli.ts";

/**
 * A repository with an origin, whose test asks for what is not there yet, and a model that says what its script says.
 */
export class Shop implements AsyncDisposable {
  readonly place = new Place();
  readonly log = this.place.path(".home.log");
  #model: ModelServer | undefined;

  /** `blueprint` is the text of `feature.yaml`. */
  static async open(script: Script, blueprint: string): Promise<Shop> {
    const shop = new Shop();
    const model = await serveModel(script);
    shop.#model = model;
    const { place } = shop;
    const commands =
      '{lint: "! grep -n var shop.js", circular-deps-check: "! grep -n var shop.js", type-check: node --check shop.js, test: "node --test"}';
    place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\ncommands: ${commands}\n`);
    place.file("feature.yaml", blueprint);
    place.file(".gitignore", ".home*\n.config\norigin.git\n");
    place.file("package.json", '{"name": "shop", "type": "module"}');
    place.file("shop.js", "export const add = (basket, thing) => basket;\n");
    const check = 'test("adds", () => assert.deepEqual(add([], "egg"), ["egg"]));\n';
    place.file(
      "shop.test.js",
      `import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./shop.js";\n${check}`,
    );
    // What lies in the folder of the program itself is taken out of the PATH of children.
    mkdirSync(place.path(".home-bin"));
    copyFileSync(join(root, "test/fixtures/github/gh"), place.path(".home-bin/gh"));
    shop.git("init", "--quiet", "--initial-branch=main");
    mkdirSync(place.path("origin.git"));
    execFileSync("git", ["init", "--quiet", "--bare", place.path("origin.git")]);
    shop.git("remote", "add", "origin", place.path("origin.git"));
    shop.git("add", "-A");
    shop.git("commit", "--quiet", "-m", "first");
    return shop;
  }

  git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    return execFileSync("git", [...identity, ...args], { cwd: this.place.folder, encoding: "utf8" }).trim();
  }

  hook(name: string, script: string): void {
    writeFileSync(this.place.path(`.git/hooks/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  get env(): Readonly<Record<string, string>> {
    return {
      PATH: `${this.place.path(".home-bin")}:${process.env["PATH"] ?? ""}`,
      GH_LOG: this.log,
      GIT_AUTHOR_NAME: "T",
      GIT_AUTHOR_EMAIL: "t@example.com",
      GIT_COMMITTER_NAME: "T",
      GIT_COMMITTER_EMAIL: "t@example.com",
    };
  }

  run(
    more: readonly string[] = [],
    task = "Let people add things",
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Finished> {
    const args = ["run", task, "-b", "feature.yaml", "--task-id", "T1", "--json", ...more];
    return trammel(args, { place: this.place, env: { ...this.env, ...variables } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model?.close();
    this.place[Symbol.dispose]();
  }
}

/** Answers with a new text of a line of the shop, or of another file. */
export function edit(from: string, to: string, path = "shop.js"): Script[number] {
  return { call: [{ tool: "edit", input: { path, old_text: from, new_text: to } }] };
}

/** Names of the nodes that were started, in order. */
export function started({ stdout }: Finished): readonly string[] {
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; node?: string });
  return events.flatMap(({ type, node }) => (type === "node.started" && node !== undefined ? [node] : []));
}
