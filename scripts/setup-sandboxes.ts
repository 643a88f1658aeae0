import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";

/** Where the tests of sandboxes look for the root file system, and under which name container engines have it. */
const rootfs = "/var/lib/trammel-test/rootfs";
const image = "trammel-test/base:1";

/** Debian packages; the container engines may be left out, bubblewrap may not. */
const packages = "bubblewrap busybox-static git podman runc conmon netavark aardvark-dns iptables uidmap docker.io";
const waitForDaemon = "timeout 30 sh -c 'until docker info; do sleep 0.2; done'";

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

function startDocker(): void {
  if (!has("dockerd") || process.getuid?.() !== 0 || ask("docker", "info").ok) return;
  console.error("starting dockerd");
  const log = openSync("/var/log/trammel-test-dockerd.log", "a");
  spawn("dockerd", [], { detached: true, stdio: ["ignore", log, log] }).unref();
  ask("sh", "-c", waitForDaemon);
}

function importImage(engine: string, name: string): boolean {
  if (!has(engine) || !existsSync(rootfs)) return false;
  if (ask(engine, "image", "inspect", name).ok) return true;
  return ask("sh", "-c", `tar -C ${rootfs} -c . | ${engine} import - ${image}`).ok;
}

/** Something the machine does not have, and the suite that cannot run for it. */
export interface Lack {
  readonly suite: string;
  readonly why: string;
  /** A container engine needs a daemon or rights that not every machine has; the other drivers show the same contract. */
  readonly tolerated: boolean;
}

/** Installs and starts what the tests of sandboxes need and can have here; answers what they lack. */
export function setupSandboxes(): readonly Lack[] {
  install();
  const lacks: Lack[] = [];
  const lack = (name: string, tolerated: boolean, why: string): void =>
    void lacks.push({ suite: `test/sandboxes/${name}.test.ts`, tolerated, why });
  if (!makeRootfs()) lack("bubblewrap", false, "no root file system could be made (busybox-static, git)");
  if (!ask("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").ok)
    lack("bubblewrap", false, "bubblewrap makes no box here");
  choosePodmanRuntime();
  if (!importImage("podman", `localhost/${image}`)) lack("podman", true, "no podman, or it takes no image");
  startDocker();
  if (!importImage("docker", image)) lack("docker", true, "no docker daemon runs, or it takes no image");
  return lacks;
}

if (import.meta.main) {
  const lacks = setupSandboxes();
  for (const { suite, why } of lacks) console.error(`LEFT OUT  ${suite}: ${why}`);
  if (lacks.length > 0) process.exitCode = 1;
}
