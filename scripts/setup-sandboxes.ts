import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Where the tests of sandboxes look for the root file system, and under which name container engines have it. */
const rootfs = "/var/lib/trammel-test/rootfs";
const image = "trammel-test/base:1";

/** Debian packages. */
const packages = "bubblewrap busybox-static git podman runc conmon netavark aardvark-dns iptables uidmap docker.io";

function ask(command: string, ...args: readonly string[]): { readonly ok: boolean; readonly text: string } {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return { ok: status === 0, text: stdout ?? "" };
}

function has(program: string): boolean {
  return ask("sh", "-c", `command -v ${program}`).ok;
}

function install(): void {
  if (["bwrap", "busybox", "git", "podman", "runc", "dockerd"].every(has)) return;
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return;
  console.error("installing what the tests of sandboxes need");
  spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
  for (const name of packages.split(" "))
    spawnSync("apt-get", ["install", "-qq", "-y", "--no-install-recommends", name], { stdio: ["ignore", 2, 2] });
}

/** A small userland of this machine's own programs: busybox, and git with its libraries. No registry is asked. */
const build = `
set -eu
rm -rf "$1.new"
mkdir -p "$1.new" && cd "$1.new"
mkdir -p bin dev etc lib lib64 proc root sys tmp usr/bin usr/lib/git-core var workspace
chmod 1777 tmp
cp "$(command -v busybox)" bin/busybox
for name in $(bin/busybox --list); do [ -e "bin/$name" ] || ln -s busybox "bin/$name"; done
echo 'root:x:0:0:root:/root:/bin/sh' >etc/passwd
echo 'root:x:0:' >etc/group
core=$(git --exec-path)
for program in "$(command -v git)" "$core/git-remote-http"; do
  mkdir -p ".$(dirname "$program")"
  cp -L "$program" ".$program"
  ldd "$program" | grep -oE '/[^ ]+' | while read -r library; do
    mkdir -p ".$(dirname "$library")"
    cp -L "$library" ".$library"
  done
done
for name in git git-upload-pack; do ln -sf "$(command -v git)" ".$core/$name"; done
cd / && rm -rf "$1" && mv "$1.new" "$1"
`;

function makeRootfs(): boolean {
  if (existsSync(`${rootfs}/bin/busybox`)) return true;
  if (!has("busybox") || !has("git")) return false;
  try {
    mkdirSync(rootfs, { recursive: true });
  } catch {
    return false;
  }
  return spawnSync("sh", ["-c", build, "sh", rootfs], { stdio: ["ignore", 2, 2] }).status === 0;
}

/** Control groups of both versions side by side are more than crun takes on. */
function choosePodmanRuntime(): void {
  const file = "/etc/containers/containers.conf";
  const mixed = existsSync("/sys/fs/cgroup/unified") && existsSync("/sys/fs/cgroup/memory");
  if (mixed && has("runc") && !existsSync(file)) writeFileSync(file, '[engine]\nruntime = "runc"\n');
}

const dockerLog = "/var/log/trammel-test-dockerd.log";

/** Machines differ in what they let a daemon do: the plainest way comes last. */
const dockerWays: readonly (readonly string[])[] = [
  [],
  ["--storage-driver=vfs"],
  ["--storage-driver=vfs", "--iptables=false", "--ip6tables=false", "--bridge=none"],
];

/**
 * Starts the daemon with the arguments given; ends well once it answers, and badly once it is gone or 40 s are over.
 */
const startDaemon = `
log=$1; shift
setsid dockerd "$@" </dev/null >"$log" 2>&1 &
daemon=$!
for _ in $(seq 200); do
  docker info && exit 0
  kill -0 $daemon || exit 1
  sleep 0.2
done
kill $daemon; wait; exit 1
`;

/** Starts a daemon that stays, unless one runs; answers why none could be started. */
function startDocker(): string | null {
  if (!has("dockerd")) return "dockerd could not be installed (Debian: docker.io)";
  if (ask("docker", "info").ok) return null;
  if (process.getuid?.() !== 0) return "no docker daemon runs, and only root can start one";
  for (const way of dockerWays) {
    console.error(["starting dockerd", ...way].join(" "));
    if (ask("sh", "-c", startDaemon, "sh", dockerLog, ...way).ok) return null;
  }
  return `no docker daemon comes up: ${lastWords(dockerLog)}`;
}

function lastWords(file: string): string {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return (lines.findLast((line) => /level=(error|fatal)|failed/.test(line)) ?? lines.at(-1) ?? "").slice(0, 500);
}

function importImage(engine: string, name: string): boolean {
  if (!has(engine) || !existsSync(rootfs)) return false;
  if (ask(engine, "image", "inspect", name).ok) return true;
  return ask("sh", "-c", `tar -C ${rootfs} -c . | ${engine} import - ${image}`).ok;
}

/** A suite that cannot run on this machine. */
export interface Lack {
  readonly suite: string;
  readonly why: string;
}

/** Installs and starts what the tests of sandboxes need; answers what they lack. */
export function setupSandboxes(): readonly Lack[] {
  install();
  const lacks: Lack[] = [];
  const lack = (name: string, why: string): void => void lacks.push({ suite: `test/sandboxes/${name}.test.ts`, why });
  if (!makeRootfs()) lack("bubblewrap", "no root file system could be made (busybox-static, git)");
  if (!ask("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").ok)
    lack("bubblewrap", "bubblewrap makes no box here");
  choosePodmanRuntime();
  if (!importImage("podman", `localhost/${image}`)) lack("podman", "no podman, or it takes no image");
  const noDaemon = startDocker();
  if (noDaemon !== null) lack("docker", noDaemon);
  else if (!importImage("docker", image)) lack("docker", "docker takes no image");
  return lacks;
}

if (import.meta.main) {
  const lacks = setupSandboxes();
  for (const { suite, why } of lacks) console.error(`LEFT OUT  ${suite}: ${why}`);
  if (lacks.length > 0) process.exitCode = 1;
}
