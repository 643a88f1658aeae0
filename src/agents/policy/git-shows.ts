/** What a subcommand of git shows or takes up of the files of a tree. */
export interface GitShow {
  /** Options without which it shows no content; absent where it always does. */
  readonly needs?: RegExp;
  /** Files that git ignores too. */
  readonly ignored?: true;
}

const patch = /^(?:-[a-zA-Z]*[pucWU]\d*|--(?:patch.*|unified.*|cc|word-diff.*|color-words.*|function-context)|-L.*)$/;

/** Those that go through the whole tree, or its history, where they are given no path. */
const shows: Readonly<Record<string, GitShow>> = {
  add: { needs: /^(?:-[a-zA-Z]*f[a-zA-Z]*|--force)$/, ignored: true },
  archive: {},
  "cat-file": {},
  diff: {},
  "diff-files": { needs: patch },
  "diff-index": { needs: patch },
  "diff-tree": { needs: patch },
  difftool: {},
  "fast-export": {},
  "format-patch": {},
  log: { needs: patch },
  reflog: { needs: patch },
  show: {},
  stash: { needs: /^(?:-a|--all)$/, ignored: true },
  whatchanged: { needs: patch },
};

/** With these a patch is not shown, or only the names of its files. */
const namesOnly =
  /^(?:-s|--(?:no-patch|quiet|exit-code|raw|shortstat|numstat|stat(?:=.*)?|dirstat.*|name-only|name-status|summary|check))$/;

/**
 * What a subcommand with such options goes through; undefined where it shows no content of files that it is not told.
 */
export function gitShow(subcommand: string, options: readonly string[]): GitShow | undefined {
  const show = Object.hasOwn(shows, subcommand) ? shows[subcommand] : undefined;
  if (show === undefined || options.some((text) => show.needs?.test(text))) return show;
  return show.needs === undefined && !options.some((text) => namesOnly.test(text)) ? show : undefined;
}

/** Subcommands that show, compare or take up the files they are given. */
export const gitReaders: ReadonlySet<string> = new Set([
  ...Object.keys(shows),
  ..."annotate blame grep hash-object mv update-index".split(" "),
]);

/** Options of git that take the next word, which is then no path. */
export const takesNextOfGit =
  /^(?:-[SGOnl]|--(?:after|author|before|committer|diff-filter|format|grep|line-prefix|max-count|output|pretty|since|skip|until))$/;
