/** What several commands begin with; each line stands at the indentation of a command. */
const indented = (lines: string): string => lines.trim().replaceAll("\n", "\n    ");

/**
 * `$branch`; a run that made a branch works on no other, wherever an agent left HEAD, but on that of a worktree of its
 * own. A flow says which one it was, in a fork too; else it stands in the settings of the repository.
 */
export const ownBranch = indented(String.raw`
branch=$(git symbolic-ref --quiet --short HEAD) || say "HEAD is detached"
own=$(printf '%s\n' "$MADE_BRANCH" | grep . | tail -n 1)
[ -n "$own" ] || own=$(git config --get-regexp '^branch\..*\.trammel-run$' | sed -n "s/^branch\.\(.*\)\.trammel-run $TRAMMEL_RUN$/\1/p")
if [ -n "$own" ] && [ "$branch" != "trammel/$TRAMMEL_RUN" ] && ! printf '%s\n' "$own" | grep -Fqx "$branch"; then
  say "HEAD is on $branch, and not on $own, which this run made"
fi
`);

/**
 * `$changed`: what differs from HEAD in the whole tree, without what Trammel writes
 * itself. From here on words are split at line ends alone.
 */
export const changes = indented(String.raw`
set -f
IFS='
'
changed=$(git status --porcelain --untracked-files=all -- :/ $TRAMMEL_OWN_FILES) || exit 1
`);

/** A task that is too large for a variable comes as a file. */
export const wholeTask = indented(String.raw`
task() { if [ -z "$TASK" ] && [ -n "$TASK_FILE" ]; then cat "$TASK_FILE"; else printf '%s\n' "$TASK"; fi; }
`);

/** The first line that says something, cut at so many characters; without one the task id. */
export const firstLine = indented(
  `${wholeTask}${String.raw`
first_line() {
  line=$(task | LC_ALL=C.UTF-8 sed -n "/[^[:space:]]/{s/^[[:space:]]*//;s/^\(.\{$1\}\).*$/\1/;p;q;}")
  [ -n "$line" ] || line=$TRAMMEL_TASK_ID
  printf '%s\n' "$line"
}
`}`,
);
