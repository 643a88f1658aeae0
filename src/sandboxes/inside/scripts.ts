/**
 * What runs inside a box, in the shell every image has. Only built-in commands, so that a box which may start nothing
 * more can still be cleaned, and no variable of the user's command is touched: it gets a subshell of its own.
 */

/** Marks every process of one command, through forks and sessions. */
const execVariable = "TRAMMEL_EXEC";
/** Marks the shell that waits for that command. */
export const launchVariable = "TRAMMEL_LAUNCH";
/**
 * Values travel under these names, so that one called PATH or LD_PRELOAD is the command's alone and not its starter's.
 */
export const valueVariable = "TRAMMEL_VALUE_";

/** Word of what holds the box open; see {@link hold}. */
const heldWord = "held";

/** `enter FOLDER NAME… -- COMMAND…`: takes on the variables and becomes the command. */
const enter = `
enter() {
  cd -- "$1" 2>/dev/null || { echo "the sandbox has no folder $1" >&2; exit 126; }
  shift
  trammel_n=0
  while [ "$1" != -- ]; do
    eval "export \\"\\$1=\\$${valueVariable}$trammel_n\\""
    unset "${valueVariable}$trammel_n"
    trammel_n=$((trammel_n + 1))
    shift
  done
  shift
  unset ${launchVariable}
  exec "$@"
}`;

/**
 * `sweep WORD…`: kills what carries one of the words, again and again until nothing does. Where no
 * other command runs in the box, what lost both its parent and its marker goes too. A command that was
 * killed a moment ago has no environment any more and is not gone yet: it is waited for, some rounds
 * long, and then no longer counts. False where something is left.
 */
const sweep = `
slurp() {
  text=
  while IFS= read -r line || [ -n "$line" ]; do text="$text $line"; done <"$1"
}
look() {
  slurp "$1/stat" || return 1
  text=\${text##*) }
  case $text in Z*|X*) return 1;; esac
  parent=\${text#* }
  parent=\${parent%% *}
  slurp "$1/environ" || return 1
}
alone() {
  dying=
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    [ "$pid" = 1 ] || [ "$pid" = $$ ] || ! look "$folder" || [ "$parent" != 0 ] && continue
    [ -z "$text" ] || return 1
    dying=1
    [ $round -ge 50 ] || return 1
  done
}
doomed() {
  for word in "$@"; do
    case $text in *"$word"*) return 0;; esac
  done
  [ "$parent" = 1 ] && [ -n "$only" ] || return 1
  case $text in *${execVariable}=*) return 1;; esac
}
sweep() {
  round=0
  while [ $round -lt 500 ]; do
    round=$((round + 1))
    found=
    only=
    alone && only=1
    for folder in /proc/[0-9]*; do
      pid=\${folder#/proc/}
      [ "$pid" != 1 ] && [ "$pid" != $$ ] && look "$folder" && doomed "$@" || continue
      kill -9 "$pid" && found=1
    done
    [ -n "$found" ] || { [ -n "$dying" ] && [ $round -lt 50 ]; } || return 0
  done
  return 1
}`;

/**
 * What the launcher exits with after a success, and the other way round. The client of docker ends with 0 when it is
 * terminated from outside: that must never read as the success of a command.
 */
const successCode = 113;

/** What the command itself exited with. */
export function codeOf(launcherCode: number): number {
  if (launcherCode === successCode) return 0;
  return launcherCode === 0 ? successCode : launcherCode;
}

/**
 * A container engine may start a command after its client is gone and everything was swept. What ends a command says so
 * in the box first; a starter that comes later finds it and begins nothing.
 */
const endedFile = "/dev/shm/trammel-ended-";
const unlessEnded = `[ -z "$${launchVariable}" ] || [ ! -e "${endedFile}$${launchVariable}" ] || exit 125
`;

/** `WORD FOLDER NAME… -- COMMAND…`: runs the command, ends what it left, exits as {@link codeOf} understands. */
export const launchAndSweep = `${unlessEnded}${enter}${sweep}
trammel_word=$1
shift
(
  export ${execVariable}="$trammel_word"
  enter "$@"
)
code=$?
sweep "${execVariable}=$trammel_word" 2>/dev/null
case $code in
  0) exit ${successCode};;
  ${successCode}) exit 0;;
  *) exit "$code";;
esac`;

/** `FOLDER NAME… -- COMMAND…`: becomes the command; whoever starts it sees to its end. */
export const launchOnly = `${unlessEnded}${enter}
enter "$@"`;

/** `WORD`: ends a command from outside, then says how often the box has met each of its limits. */
export const settle = `${sweep}
count() {
  [ -r "$1" ] || return 0
  while read -r key value; do [ "$key" != "$2" ] || echo "$3 $value"; done <"$1"
}
{ : >"${endedFile}$1"; } 2>/dev/null
sweep "${execVariable}=$1" "${launchVariable}=$1" 2>/dev/null || exit 1
count /sys/fs/cgroup/memory.events oom_kill memory
count /sys/fs/cgroup/memory/memory.oom_control oom_kill memory
count /sys/fs/cgroup/pids.events max pids
count /sys/fs/cgroup/pids/pids.events max pids`;

/**
 * The first process of a box: says that it is up, collects orphans (\`wait\` does), and goes when its input ends.
 * \`kill -9 -1\` in the box ends its \`cat\`, which it then starts again.
 */
export const hold = `exec 3<&0
echo ready
while :; do
  ${execVariable}=${heldWord} cat <&3 >/dev/null &
  wait $!
  [ $? -gt 128 ] || exit 0
done`;
