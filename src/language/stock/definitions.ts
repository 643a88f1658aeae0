import { hookFiles, hookFolders } from "../../model/hooks.ts";
import { changes, firstLine, ownBranch, wholeTask } from "./beginnings.ts";

/**
 * What Git runs at a commit, and where it and the usual tools for hooks are told
 * of it. No agent writes the hooks of its own commit.
 */
const hooks = [".git/hooks/**", ".git/config", ...hookFolders.map((folder) => `${folder}/**`), ...hookFiles]
  .map((glob) => `"!${glob}"`)
  .join(", ");

/**
 * The stock nodes, as they could stand under `nodes:` of any document. Deterministic ones are
 * idempotent: each looks first whether what it does is done. Their commands are defaults;
 * `commands` of the configuration replaces them by node name.
 */
export const stockDefinitions = String.raw`
git-branch:
  type: script
  title: Branch
  note: Makes and checks out the branch minion/<task id>; one that another run made is left alone.
  idempotent: true
  run: |
    say() { echo "$1" >&2; exit 1; }
    [ "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ] || say "this is no working tree of a git repository"
    git rev-parse --verify --quiet HEAD >/dev/null || say "the repository has no commits yet; make one first"
    git symbolic-ref --quiet HEAD >/dev/null || say "HEAD is detached; check out a branch first"
    is_taken() { git show-ref --quiet --verify "refs/heads/$1" || git show-ref --quiet --verify "refs/remotes/origin/$1"; }
    base="minion/$(printf '%s' "$TRAMMEL_TASK_ID" | tr -c 'A-Za-z0-9_-' '-')"
    name=$base
    next=2
    while is_taken "$name"; do
      if [ "$(git config "branch.$name.trammel-run")" = "$TRAMMEL_RUN" ]; then
        git checkout --quiet "$name" && echo "$name"
        exit
      fi
      name="$base-$next"
      next=$((next + 1))
    done
    ${changes}
    if [ -n "$changed" ]; then
      printf '%s\n' "$changed" | head -n 4 >&2
      say "the working tree has changes; commit or stash them first, or give the run a tree of its own (workspace.isolate: worktree)"
    fi
    start=$(git rev-parse HEAD)
    git checkout --quiet -b "$name" || exit 1
    git config "branch.$name.trammel-run" "$TRAMMEL_RUN"
    git config "branch.$name.trammel-start" "$start"
    echo "$name"

git-commit:
  type: script
  title: Commit
  note: Commits everything but what Trammel writes itself. A clean tree is success when something was committed on this branch, else a failure.
  idempotent: true
  env: {TASK: "{task}"}
  run: |
    say() { echo "$1" >&2; exit 1; }
    ${ownBranch}
    ${changes}
    if [ -z "$changed" ]; then
      start=$(git config "branch.$branch.trammel-start")
      [ -n "$start" ] && [ "$start" != "$(git rev-parse HEAD)" ] || say "no changes to commit"
      echo "already committed"
      exit 0
    fi
    ${firstLine}
    git add -A -- :/ $TRAMMEL_OWN_FILES || exit 1
    git commit --quiet -m "minion: $(first_line 72)" && git rev-parse HEAD

git-push:
  type: script
  title: Push
  note: Pushes the branch to origin.
  idempotent: true
  run: |
    say() { echo "$1" >&2; exit 1; }
    ${ownBranch}
    git push --quiet -u origin HEAD

create-pr:
  type: script
  title: Pull request
  note: Opens a pull request with the GitHub command line; never merges. Success is its URL.
  idempotent: true
  env: {TASK: "{task}"}
  run: |
    say() { echo "$1" >&2; exit 1; }
    repository=$(gh repo view --json url --jq .url) || exit
    ${ownBranch}
    is_ours() {
      case $1 in "$repository"/pull/*[!0-9]*) return 1 ;; "$repository"/pull/[0-9]*) return 0 ;; *) return 1 ;; esac
    }
    known=$(gh pr view --json url,state --jq 'select(.state == "OPEN") | .url' 2>/dev/null)
    if is_ours "$known"; then echo "$known"; exit 0; fi
    gh label create minion-generated --description "Made by an unattended run" >/dev/null 2>&1
    ${firstLine}
    # What is committed, so that no link leads elsewhere.
    committed() { git ls-tree --full-tree --name-only HEAD "$@"; }
    template=$({ committed .github/ docs/; committed; } | grep -Ei -m 1 '(^|/)pull_request_template\.(md|txt)$')
    case $TRAMMEL_PR_TEMPLATE in
      /*) body=$(cat "$TRAMMEL_PR_TEMPLATE") || exit 1 ;;
      ?*) body=$(git show "HEAD:./$TRAMMEL_PR_TEMPLATE") || say "records.pr_template is $TRAMMEL_PR_TEMPLATE, which is not committed" ;;
      *)
        if [ -n "$template" ]; then body=$(git show "HEAD:$template")
        else body=$(task | head -c 50000; printf '\n\nMade by an unattended run; please review before merging.\n'); fi ;;
    esac
    if [ -n "$DRIFT" ]; then
      read_outside=$(printf '%s' "$DRIFT" | sed 's/[^[:print:]]/?/g; s/^/    /')
      body=$(printf '%s\n\nFiles that the agents read outside of their context:\n\n%s\n' "$body" "$read_outside")
    fi
    answer=$(gh pr create --title "minion: $(first_line 200)" --body "$body" --label minion-generated) || exit 1
    url=$(printf '%s\n' "$answer" | tail -n 1)
    is_ours "$url" || say "gh answered without a pull request of $repository: $answer"
    echo "$url"

lint:
  type: script
  title: Lint
  idempotent: true
  run: pnpm turbo run lint

type-check:
  type: script
  title: Type check
  idempotent: true
  run: pnpm turbo run type-check

test:
  type: script
  title: Test
  idempotent: true
  run: pnpm turbo run test

circular-deps-check:
  type: script
  title: Circular dependencies
  idempotent: true
  run: pnpm turbo run lint

system-supervisor-quick-audit:
  type: script
  title: Quick audit
  note: Fails with file and line where the state file speaks of a violation, or a tracked file holds one of audit.patterns.
  idempotent: true
  run: |
    file=.claude/memory/current-state.md
    [ -z "$TRAMMEL_STATE_FILE" ] || file=$TRAMMEL_STATE_FILE
    found=0
    if [ ! -f "$file" ]; then echo "there is no $file"
    elif grep -Hni violation "$file"; then found=1; fi
    if [ -n "$TRAMMEL_AUDIT_PATTERNS" ]; then
      git grep -nIE -e "$TRAMMEL_AUDIT_PATTERNS" -- . ':(exclude)trammel.yaml'
      case $? in
        0) found=1 ;;
        1) ;;
        *) echo "audit.patterns cannot be looked for" >&2; exit 126 ;;
      esac
    fi
    if [ "$found" = 1 ]; then exit 1; fi
    echo "no violations"

execution-guardian-check:
  type: script
  title: Risk
  note: Tells the risk of the task by its words, as port risk; high is a failure, unless the run was started with --accept-risk.
  idempotent: true
  env: {TASK: "{task}"}
  run: |
    ${wholeTask}
    has() { task | grep -Eqi "(^|[^[:alnum:]])($1)([^[:alnum:]]|$)"; }
    risk=low
    if has 'migrat(e|es|ion|ions)|schema|auth|authentication|permissions?|deploy|release|infrastructure|ci'; then risk=medium; fi
    if has 'production|prod|secrets?|credentials?|passwords?|payments?|billing|drop|delete|truncate|wipe|force[ -]push'; then risk=high; fi
    echo "risk: $risk"
    printf '{"risk": "%s"}\n' "$risk" > "$TRAMMEL_OUTPUT"
    if [ "$risk" = high ] && [ "$TRAMMEL_ACCEPT_RISK" != 1 ]; then
      echo "a person who takes it upon them starts the run with --accept-risk" >&2
      exit 1
    fi

implement:
  type: agent
  title: Implement
  cap: 1
  context: {read: repository, only: report}
  writes: [${hooks}]
  prompt: |
    Implement this in the repository you are in. Follow its conventions, add or change tests where behaviour changes, and keep the change as
    small as the task allows. Nobody can answer questions: decide, and say in your last message what you decided. Do not commit.

    {task}

reproduce-bug:
  type: agent
  title: Reproduce
  cap: 1
  context: {read: repository, only: report}
  writes: [${hooks}]
  prompt: |
    Write a test that fails because of this bug and would pass without it. Change nothing but tests. Nobody can answer questions. Do not commit.

    {task}

implement-fix:
  type: agent
  title: Fix the bug
  note: Changes no tests, CI files, hooks or blueprints.
  cap: 1
  context: {read: repository, only: report}
  writes: &code [
    "!*.test.*", "!*.spec.*", "!*_test.*", "!test_*.py", "!conftest.py", "!**/test/**", "!**/tests/**",
    "!**/__tests__/**", "!.github/**", "!.gitlab-ci.yml", "!.circleci/**", "!Jenkinsfile",
    ${hooks}, "!.trammel/**", "!trammel.yaml", "!trammel.lock"
  ]
  prompt: |
    A test in this repository reproduces the bug below. Find the cause and mend it. Do not change that test. Nobody can answer questions. Do not
    commit.

    {task}

implement-migration:
  type: agent
  title: Migrate
  cap: 1
  context: {read: repository, only: report}
  writes: [${hooks}]
  prompt: |
    Carry out this migration in the repository you are in: database, code or both, with what is needed to take it back. Nobody can answer
    questions. Do not commit.

    {task}

implement-refactor:
  type: agent
  title: Refactor
  cap: 1
  context: {read: repository, only: report}
  writes: [${hooks}]
  prompt: |
    Refactor as asked below. Behaviour must not change. Nobody can answer questions. Do not commit.

    {task}

fix-ci:
  type: agent
  title: Mend the checks
  note: Changes no tests, CI files, hooks or blueprints.
  cap: 2
  context: {read: repository, only: report}
  writes: *code
  prompt: |
    A check of this repository fails. Find the cause and mend the code; do not weaken, skip or delete checks. Nobody can answer questions. Do not
    commit. The work is on this task:

    {task}

fix-lint:
  type: agent
  title: Mend lint errors
  note: Changes no CI files, hooks or blueprints.
  cap: 1
  context: {read: repository, only: report}
  writes: [
    "!.github/**", "!.gitlab-ci.yml", "!.circleci/**", "!Jenkinsfile",
    ${hooks}, "!.trammel/**", "!trammel.yaml", "!trammel.lock"
  ]
  prompt: |
    The linter of this repository reports errors that it cannot mend by itself. Mend the code; do not switch rules off. Nobody can answer
    questions. Do not commit. The work is on this task:

    {task}
`;
