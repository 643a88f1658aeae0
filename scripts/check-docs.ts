import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readRepositoryFile, repositoryFiles, root } from "./files.ts";
import { readPage } from "./markdown.ts";
import type { Page } from "./markdown.ts";

/** What the check asks of the world around a page. */
interface Surroundings {
  exists(path: string): boolean;
  /** The page at a path, or null where there is none. */
  page(path: string): Page | null;
  readonly npmScripts: ReadonlySet<string>;
}

/** Links and anchors that lead nowhere, named paths that do not exist, npm scripts that are not there. */
export function pageProblems(file: string, page: Page, around: Surroundings): string[] {
  const problems: string[] = [];
  for (const { text, line } of page.links) {
    if (/^[a-z][a-z+.-]*:/i.test(text)) continue;
    const [path = "", anchor] = decodeURI(text).split("#");
    const target = path === "" ? file : normalize(join(dirname(file), path));
    if (!around.exists(target)) problems.push(`${file}:${line}: link to ${target}, which does not exist`);
    else if (anchor !== undefined && around.page(target)?.anchors.has(anchor) !== true) {
      problems.push(`${file}:${line}: link to ${text}, but ${target} has no such heading`);
    }
  }
  for (const { text, line } of page.spans) {
    if (/^(src|test|scripts|bench|docs|examples|schema|bin)\/[\w./-]*$/.test(text) && !around.exists(text)) {
      problems.push(`${file}:${line}: names ${text}, which does not exist`);
    }
  }
  const commands = [...page.spans, ...page.blocks.filter(({ language }) => language === "sh")];
  for (const { text, line } of commands) {
    for (const [, script = ""] of text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)) {
      if (!around.npmScripts.has(script))
        problems.push(`${file}:${line}: npm run ${script} is no script of package.json`);
    }
  }
  return problems;
}

export function documentFiles(): string[] {
  return repositoryFiles("*.md").filter((file) => !/^(test\/fixtures|examples)\//.test(file));
}

export function repositorySurroundings(): Surroundings {
  const { scripts } = JSON.parse(readRepositoryFile("package.json")) as { scripts: Record<string, string> };
  return {
    exists: (path) => existsSync(join(root, path)),
    page: (path) => (path.endsWith(".md") ? readPage(readRepositoryFile(path)) : null),
    npmScripts: new Set(Object.keys(scripts)),
  };
}

function main(): void {
  const files = documentFiles();
  const around = repositorySurroundings();
  const problems = files.flatMap((file) => pageProblems(file, readPage(readRepositoryFile(file)), around));
  for (const problem of problems) console.error(problem);
  console.log(`docs: ${files.length} pages, ${problems.length} problems`);
  process.exitCode = problems.length > 0 || files.length === 0 ? 1 : 0;
}

if (import.meta.main) main();
