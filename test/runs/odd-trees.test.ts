import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stockNodes } from "../../src/language/stock/set.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { ScriptNode } from "../../src/model/node.ts";
import { createWriteScope } from "../../src/nodes/write-scope.ts";
import type { ActionContext, Performer } from "../../src/ports/performer.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { trackedThoughIgnored } from "../../src/runtime/workspace/own-repository.ts";
import { repositoryOf } from "../../src/runtime/workspace/repository.ts";
import { openSnapshots, type Snapshots } from "../../src/runtime/workspace/snapshots.ts";
import { gitWorkspaces } from "../../src/runtime/workspace/workspaces.ts";

interface Odd {
  /** Shell lines that make the tree, after a first commit of `kept`. */
  readonly before?: string;
  /** What a node does in it. */
  readonly change: string;
  /** Why a commit of it all fails, where it does. */
  readonly commit?: string;
}

const commit = "git commit -qm more";
const trees: Readonly<Record<string, Odd>> = {
  "line breaks and tabs in names": {
    before: `printf x > "$(printf 'a\\nb')"; git add .; ${commit}; printf y > "$(printf 'c\\td')"`,
    change: `printf 1 > "$(printf 'a\\nb')"; rm "$(printf 'c\\td')"; printf n > "$(printf 'new\\n\\nname')"`,
  },
  "names that are no UTF-8": {
    before: `printf x > "$(printf 'caf\\351')"; git add .; ${commit}; mkdir "$(printf 'd\\377')"; printf y > "$(printf 'd\\377/\\300x')"`,
    change: `printf 1 > "$(printf 'caf\\351')"; rm -r "$(printf 'd\\377')"; printf n > "$(printf 'caf\\352')"; printf n > "$(printf 'caf\\303')"`,
  },
  "names that look like options and patterns": {
    before: `for n in --help -rf ':(top)x' '*.txt' '!no' '#c' '"q"' ' s '; do printf x > "./$n"; done; git add .; ${commit}`,
    change: `for n in --help -rf ':(top)x' '*.txt' '!no' '#c' '"q"'; do printf 2 > "./$n"; done; rm './ s '; printf n > './--all'`,
  },
  "names that other systems could not have": {
    before: `printf x > 'git~1'; printf x > 'a\\.git'; printf x > CON`,
    change: `printf 2 > 'git~1'; rm 'a\\.git'; printf n > '.git '`,
    commit: "invalid path",
  },
  "renames by case only": {
    before: `printf x > Readme; git add .; ${commit}`,
    change: `mv Readme README`,
  },
  links: {
    before: `mkdir dir ../out; printf x > dir/file; printf o > ../out/file; ln -s dir/file link; ln -s ../out away; ln -s nowhere broken; git add .; ${commit}`,
    change: `ln -sfn kept link; rm -r dir; ln -s ../out dir; rm broken; mkdir broken; printf n > broken/x; printf n > new; ln -s "$(printf '\\377')" odd`,
  },
  "a folder where a file was, and the reverse": {
    before: `mkdir d; printf x > d/x; printf y > f; git add .; ${commit}`,
    change: `rm -r d f; printf d > d; mkdir -p f/deep; printf n > f/deep/x`,
  },
  "folders that stand empty": {
    before: `mkdir -p empty/deep`,
    change: `printf n > empty/deep/new; mkdir -p made/deep; printf n > made/deep/new`,
  },
  "modes alone": {
    before: `printf x > run; printf s > secret; chmod 600 secret; chmod 755 run; git add .; ${commit}`,
    change: `chmod 644 run; chmod 700 secret`,
  },
  "a private file": {
    before: `printf s > secret; chmod 600 secret`,
    change: `printf t > secret`,
  },
  "filters and line ends": {
    before: `git config core.autocrlf true; git config filter.f.clean 'tr a-z A-Z'; git config filter.f.smudge cat; git config filter.f.required true; printf '*.low filter=f\\n*.txt text eol=crlf\\n*.id ident\\n' > .gitattributes; printf 'abc\\r\\n' > a.low; printf 'l\\n' > b.txt; printf '$Id$' > c.id; git add . 2>/dev/null; ${commit}; printf 'mixed\\r\\nends\\n' > b.txt`,
    change: `printf 'xyz\\n' > a.low; printf 'other\\n' > b.txt; printf '$Id: 1$' > c.id`,
  },
  "tracked though ignored, and staged alone": {
    before: `printf '*.log\\n' > .gitignore; printf x > a.log; printf y > b.log; git add -f a.log .gitignore; ${commit}; git add -f b.log; printf s > staged; git add staged; printf i > c.log`,
    change: `printf 2 > a.log; printf 2 > b.log; rm staged`,
  },
  "a submodule": {
    before: `git init -q ../lib; printf l > ../lib/l; git -C ../lib add .; git -C ../lib commit -qm l; git -c protocol.file.allow=always submodule --quiet add ../lib sub; ${commit}`,
    change: `printf 2 > sub/l; printf n > sub/new`,
    commit: "",
  },
  "a repository inside, and one without a commit": {
    before: `git init -q inner; printf i > inner/i; git -C inner add .; git -C inner commit -qm i; git init -q 'un born'; printf u > 'un born/u'`,
    change: `printf 2 > inner/i; rm 'un born/u'; mkdir 'un born/d'; printf n > 'un born/d/n'; printf n > new`,
    commit: "does not have a commit checked out",
  },
  "a sparse checkout": {
    before: `mkdir in out; printf x > in/x; printf x > out/x; git add .; ${commit}; git sparse-checkout set in`,
    change: `printf 2 > in/x; printf n > in/new`,
  },
};

const env = {
  PATH: process.env["PATH"],
  HOME: "/nowhere",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "user.name",
  GIT_CONFIG_VALUE_0: "A",
  GIT_CONFIG_KEY_1: "user.email",
  GIT_CONFIG_VALUE_1: "a@b",
};

let place: string;
let root: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-odd-")));
  root = join(place, "project");
  mkdirSync(root);
  sh("git init -q -b main; printf k > kept; git add .; git commit -qm first");
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function sh(script: string, cwd = root): string {
  return execFileSync("sh", ["-euc", script], { cwd, env, encoding: "latin1" });
}

/**
 * Every file, link and empty folder under a folder, byte for byte, without
 * what Git keeps for itself; names as their bytes.
 */
function listing(folder = root): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const look = (at: Buffer, path: string): void => {
    const names = readdirSync(at, { encoding: "buffer" });
    if (names.length === 0) found[path] = "empty";
    for (const name of names) {
      const own = `${path}${name.toString("latin1")}`;
      if (name.toString() === ".git") continue;
      const file = Buffer.concat([at, Buffer.from("/"), name]);
      const stat = lstatSync(file);
      if (stat.isDirectory()) look(file, `${own}/`);
      else if (stat.isSymbolicLink())
        found[own] = `-> ${readlinkSync(file, { encoding: "buffer" }).toString("latin1")}`;
      else found[own] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(file).toString("latin1")}`;
    }
  };
  look(Buffer.from(folder), "");
  return found;
}

/** A difference says of modes only whether a file is executable, and nothing of empty folders. */
function withoutModes(files: ReturnType<typeof listing>): object {
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, said]) => (said === "empty" ? [] : [[path, said.replace(/^[0-7]+ /, "")]])),
  );
}

/** What the user has of Git: where it stands, and what is staged. */
function ofUser(): string {
  return sh("git rev-parse HEAD; git for-each-ref refs/heads; git ls-files --stage -z; git stash list");
}

async function pictures(): Promise<Snapshots> {
  const repository = await repositoryOf(root, env);
  if (repository === null) throw new Error("no repository");
  return openSnapshots(repository, join(place, "trees"), env, undefined, "refs/trammel/t/start");
}

describe.each(Object.entries(trees))("%s", (_, { before = "", change, commit: why }) => {
  beforeEach(() => void sh(before));

  test("a picture notices the change, tells it whole, and takes it back and nothing else", async () => {
    const [files, user] = [listing(), ofUser()];
    const snapshots = await pictures();
    const start = await snapshots.take();
    sh("printf mine > untouched");
    const mine = await snapshots.take();
    await snapshots.keep("refs/trammel/t/start", start);
    sh(change);
    const end = await snapshots.take();
    expect(end).not.toBe(mine);
    sh("cp -a . ../copy; cd ../copy; find . -name .git -prune -exec rm -rf {} +; rm untouched");
    const reverse = ["-c", "core.protectNTFS=false", "apply", "--reverse", "--whitespace=nowarn"];
    execFileSync("git", reverse, { cwd: join(place, "copy"), env, input: await snapshots.diff(mine, end) });
    expect(withoutModes(listing(join(place, "copy")))).toEqual(withoutModes(files));

    const paths = await snapshots.changed(mine, end);
    expect(await snapshots.restore("refs/trammel/t/start", paths)).toEqual([]);
    expect(listing()).toEqual({ ...files, untouched: expect.stringContaining("mine") });
    expect(ofUser()).toBe(user);
    expect(await (await pictures()).take()).toBe(mine);
  });

  test("a node that may write nothing is found out, and its work taken back", async () => {
    const files = listing();
    const node: ScriptNode = { id: "n", type: "script", run: "", writes: [] };
    // Nothing else is looked at.
    const context = {
      cwd: root,
      node,
      blueprint: { workspace: {}, records: {} } as Blueprint,
      can: { blobs: fileBlobs(join(place, "blobs")) },
    } as unknown as ActionContext;
    const performer: Performer = {
      type: "script",
      class: "deterministic",
      missing: () => null,
      perform: () => {
        sh(change);
        return Promise.resolve({ outcome: "success" });
      },
    };
    const result = await createWriteScope({
      dataFolder: join(place, "data"),
      tracked: (cwd) => trackedThoughIgnored({ cwd, env }),
      mask: String,
    })(performer).perform(context);
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "write_scope" } });
    expect(result.reason?.text).toMatch(/\(taken back\)/);
    expect(listing()).toEqual(files);
  });

  test("a worktree is given what is carried along", async () => {
    const untracked = (cwd: string): readonly string[] => sh("git ls-files --others -z", cwd).split("\0").toSorted();
    const own = untracked(root).filter((path) => path !== "" && !path.endsWith("/"));
    // Nothing else is looked at.
    const blueprint = { workspace: { isolate: "worktree", carry: ["**"] }, records: {} } as unknown as Blueprint;
    const workspaces = gitWorkspaces({ home: join(place, "home"), env, notice: () => undefined });
    const opened = await workspaces.open({ run: "r1", blueprint, cwd: root });
    if ("problem" in opened) throw new Error(opened.problem);
    const [here, there] = [listing(), listing(opened.cwd)];
    expect(own.map((path) => [path, there[path]])).toEqual(own.map((path) => [path, here[path]]));
    await workspaces.discard("r1");
    expect(sh("git worktree list --porcelain; git branch --list 'trammel/*'").match(/^worktree /gm)).toHaveLength(1);
  });

  test("the stock commit takes it all, or says why not", () => {
    sh(change);
    const node = stockNodes().get("git-commit")?.node;
    if (node?.type !== "script") throw new Error("no stock script git-commit");
    const { status, stderr } = spawnSync("sh", ["-c", node.run], {
      cwd: root,
      env: { ...env, TASK: "t" },
      encoding: "utf8",
    });
    const rest = status === 0 ? sh("git status --porcelain -uall") : "";
    const said = why === undefined ? status === 0 : status !== 0 && stderr.includes(why);
    expect({ said, rest, status, stderr }).toMatchObject({ said: true, rest: "" });
  });
});
