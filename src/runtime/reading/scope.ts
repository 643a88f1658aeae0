import type { ReadScope } from "../../model/settings.ts";
import { selectorOf } from "../tree/globs.ts";
import { git, GitFailure, pathsOf } from "../workspace/git.ts";
import { isInTree } from "../workspace/repository.ts";

/** Which of some files, relative to the root, lie in a scope. Rejects where nobody can tell. */
export type InScope = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/** Everything, globs, or what git does not ignore; where there is no repository all but `.git` and `node_modules`. */
export function scopeOf(
  scope: ReadScope | null,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): InScope {
  if (scope === "repository") return (paths) => notIgnored(paths, root, env);
  const matches = scope === null ? () => true : selectorOf(scope);
  return (paths) => Promise.resolve(new Set(paths.filter(matches)));
}

async function notIgnored(
  paths: readonly string[],
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlySet<string>> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const [only] = paths;
  const one = paths.length === 1 && only !== undefined ? ["--", `:(literal)${only}`] : [];
  try {
    const known = new Set(pathsOf(await git([...args, ...one], { cwd: root, env })));
    return new Set(paths.filter((path) => known.has(path)));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    // What git ignores is not given away where git fails: only where it has no say.
    if (isInTree(root)) throw new Error(`what may be read here cannot be told: ${error.message}`, { cause: error });
    return new Set(paths.filter((path) => !/(^|\/)(\.git|node_modules)(\/|$)/.test(path)));
  }
}
