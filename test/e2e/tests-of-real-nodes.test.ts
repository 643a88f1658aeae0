import { cpSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identify } from "../../src/runtime/processes/identity.ts";
import { Place, root, start, trammel } from "./support/cli.ts";

function placeWith(tests: string, blueprint: string): Place {
  const place = new Place();
  place.file("release.yaml", blueprint);
  place.file("release.test.yaml", tests);
  return place;
}

describe("trammel test and the world around it", () => {
  it("carries out what it is told to, in a copy that is gone afterwards", async () => {
    const real = `name: release
entry: build
nodes:
  build: { type: script, run: "cat in/a.txt > out.txt; echo $TOKEN > token.txt; git log --format=%s", secrets: [TOKEN] }
`;
    using place = placeWith(
      `tests:
  - name: real
    fixture: shop
    files: { more.txt: more }
    git: true
    run: build
    env: { TOKEN: not-a-real-one }
    expect:
      outcome: succeeded
      files: { out.txt: "a\\n", more.txt: more, token.txt: "not-a-real-one\\n" }
`,
      real,
    );
    place.file("shop/in/a.txt", "a\n");
    const { code, stdout } = await trammel(["test"], { place, env: { TOKEN: "the-real-one" } });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(() => readFileSync(place.path("shop/out.txt"))).toThrow("ENOENT");
  });

  it("refuses a recording of another prompt, and under --loose plays it and shows the difference", async () => {
    using place = new Place();
    for (const name of ["demo-project", "demo-cassettes", "demo.test.yaml"])
      cpSync(join(root, "examples", name), place.path(name), { recursive: true });
    const example = readFileSync(join(root, "examples/fix-test-failure.yaml"), "utf8");
    place.file("fix-test-failure.yaml", example.replace("mend the code, not the tests", "mend whatever is wrong"));
    const strict = await trammel(["test"], { place });
    expect(strict.code).toBe(1);
    expect(strict.stdout).toMatch(/≠ fix success +fix error: fix\.1\.jsonl does not fit: the prompt differs in line 1/);
    const loose = await trammel(["test", "--loose"], { place });
    expect(loose.code).toBe(0);
    expect(loose.stdout).toMatch(
      /^ +-The tests .* mend the code, not the tests\.\n +\+The tests .* mend whatever is wrong\.$/m,
    );
  });

  it("scripts the nodes of plug-ins, and carries them out where it is told to", async () => {
    using place = placeWith(
      `tests:
  - name: scripted
    nodes: { note: { files: { said.txt: scripted } } }
    expect: { outcome: succeeded, files: { said.txt: scripted } }
  - name: real
    run: note
    expect: { outcome: succeeded, files: { said.txt: real } }
`,
      "name: release\nnodes: { note: { type: note, text: real } }\nedges: []\n",
    );
    place.file("trammel.yaml", "plugins: [./note.js]\n");
    place.file(
      "note.js",
      `import { writeFileSync } from "node:fs";
export default { name: "notes", nodes: [{
  type: "note", class: "deterministic",
  fields: { text: { type: { kind: "string" }, required: true, description: "What." } },
  async perform(context) {
    writeFileSync(context.cwd + "/said.txt", context.node.fields.text);
    return { outcome: "success" };
  },
}] };
`,
    );
    const { code, stdout, stderr } = await trammel(["test"], { place });
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
  });

  it("finds what a run left in its worktree, and on the branch of one that is cleared away", async () => {
    const inWorktree = `name: release
entry: fix
workspace: { isolate: worktree }
nodes:
  fix: { type: agent, prompt: Mend it. }
  commit: { type: script, run: git add -A && git commit -qm done }
edges: [{ from: fix, to: commit }]
`;
    using place = placeWith(
      `tests:
  - name: committed
    git: true
    files: { a.txt: a }
    run: commit
    nodes: { fix: { files: { a.txt: b } } }
    expect: { outcome: succeeded, files: { a.txt: "b", c.txt: null } }
  - name: left as it is
    git: true
    files: { a.txt: a }
    nodes: { fix: { files: { a.txt: b } }, commit: success }
    expect: { outcome: succeeded, files: { a.txt: "b" } }
`,
      inWorktree,
    );
    const { code, stdout } = await trammel(["test"], { place });
    expect({ code, stdout }).toMatchObject({ code: 0 });
  });

  it("is told apart from a blueprint by check and list", async () => {
    using place = placeWith("tests: []\n", "name: release\nflow: lint\n");
    const named = await trammel(["check", "release.test.yaml"], { place });
    expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining("trammel test release.test.yaml") });
    expect((await trammel(["check", "."], { place })).stdout).not.toContain("release.test.yaml");
  });

  it("stops in order at Ctrl-C, and leaves nothing running", async () => {
    const slow = "name: release\nnodes: { build: { type: script, run: 'echo $$ > pid; exec sleep 600' } }\nedges: []\n";
    using place = placeWith(
      "tests: [{ name: slow, run: build, env: { SEEN: here }, expect: { outcome: succeeded } }]\n",
      slow,
    );
    const running = start(["test"], { place, env: { TMPDIR: place.folder } });
    const pid = await until(() => {
      // Folders come and go in there meanwhile, over which `readdir` falls.
      const [file] = globSync("trammel-test-*/**/tree/pid", { cwd: place.folder });
      const text = file === undefined ? "" : place.read(file);
      return text.endsWith("\n") ? Number(text) : null;
    });
    running.child.kill("SIGINT");
    expect((await running.end).code).toBe(130);
    expect(identify(pid)).toBeNull();
    expect(readdirSync(place.folder).filter((name) => name.startsWith("trammel-test-"))).toEqual([]);
  });
});

async function until<T>(look: () => T | null): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== null) return found;
    await new Promise(setImmediate);
  }
}
