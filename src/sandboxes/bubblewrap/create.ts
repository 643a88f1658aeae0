import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { boxWorkspace, isHostImage } from "../../model/sandbox.ts";
import type { SandboxFault, SandboxLimitName, SandboxMade, SandboxSpec } from "../../ports/sandbox.ts";
import { script } from "../inside/launch.ts";
import { ownerWord } from "../owner.ts";
import { type DriverParts, sandboxFolder } from "../parts.ts";
import { BubblewrapBox } from "./box.ts";
import { clear } from "./clear.ts";
import { type Groups, makeGroups } from "./groups.ts";
import { type BoxFolder, boxFolder } from "./layout.ts";
import { findPrograms, type Programs } from "./programs.ts";
import { enterArguments, isRoot, layRootfs, type Rootfs } from "./rootfs.ts";
import { hostHome, hostUserland, mountArguments, ownProc, resolvers } from "./userland.ts";

const isolation =
  "--unshare-user --unshare-all --disable-userns --cap-drop ALL --die-with-parent --new-session --hostname box --chdir /";
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** See {@link SandboxDriver.create}; `live` holds the boxes of this process. */
export async function createBox(
  parts: DriverParts,
  live: Map<string, BubblewrapBox>,
  spec: SandboxSpec,
  signal: AbortSignal,
): Promise<SandboxMade | SandboxFault> {
  const folder = boxFolder(sandboxFolder(parts), spec.id);
  const hadWorkspace = existsSync(folder.workspace);
  const clean = (): Promise<unknown> => clear(folder, hadWorkspace ? "resumable" : "over");
  try {
    await live.get(spec.id)?.destroy("keep");
    await clear(folder, "resumable");
    const made = await build(parts, live, spec, folder);
    if (!("sandbox" in made)) {
      await clean();
      return made;
    }
    const { end, stderr } = await made.sandbox.exec(
      { argv: ["true"], cwd: boxWorkspace, env: {}, outputBytes: limits.toolOutputBytes },
      signal,
    );
    if (end.kind === "exit" && end.code === 0) return made;
    await made.sandbox.destroy(hadWorkspace ? "keep" : "remove");
    return cannot(spec, end.kind === "lost" ? end.message : stderr.text.trim() || end.kind);
  } catch (error) {
    await clean();
    return cannot(spec, messageOf(error));
  }
}

function cannot({ image }: SandboxSpec, problem: string): SandboxFault {
  return {
    fault: `the sandbox could not be made from ${image}: ${problem}`,
    hint: "`trammel doctor` shows whether bubblewrap works here; a root file system needs /bin/sh.",
  };
}

async function build(
  parts: DriverParts,
  live: Map<string, BubblewrapBox>,
  spec: SandboxSpec,
  folder: BoxFolder,
): Promise<SandboxMade | SandboxFault> {
  for (const part of [folder.workspace, path.join(folder.scratch, "home"), path.join(folder.scratch, "tmp")])
    await mkdir(part, { recursive: true, mode: 0o700 });
  await writeFile(folder.owner, ownerWord(spec.owner));
  const values: Record<SandboxLimitName, number> = {
    memory: spec.memoryBytes ?? limits.sandboxMemoryDefaultBytes,
    cpus: spec.cpus ?? Math.min(limits.sandboxCpusDefault, availableParallelism()),
    pids: spec.pids ?? limits.sandboxPidsDefault,
  };
  const groups = makeGroups(spec.id, values);
  await writeFile(folder.groups, groups.folders.join("\n"));
  const { refused, notes } = notHeld(spec, groups);
  if (refused !== null) return refused;
  const programs = findPrograms(parts.env);
  if (typeof programs === "string") return cannot(spec, programs);
  const rootfs = isHostImage(spec.image) ? null : await layRootfs(spec.image, folder.scratch, programs, parts);
  if (typeof rootfs === "string") return cannot(spec, rootfs);
  const box = new BubblewrapBox({
    id: spec.id,
    parts,
    folder,
    groups,
    limits: values,
    prefix: [...joinArguments(groups), ...boxArguments({ spec, folder, rootfs, programs, home: parts.home })],
    base: { PATH: searchPath, HOME: homeIn(rootfs), LANG: "C.UTF-8" },
    holder: rootfs?.holder ?? null,
    forget: () => live.delete(spec.id),
  });
  live.set(spec.id, box);
  return { sandbox: box, notes: [...notes, ...(rootfs?.notes ?? [])] };
}

function notHeld(
  spec: SandboxSpec,
  { held }: Groups,
): { readonly refused: SandboxFault | null; readonly notes: readonly string[] } {
  const asked: Readonly<Record<SandboxLimitName, number | undefined>> = {
    memory: spec.memoryBytes,
    cpus: spec.cpus,
    pids: spec.pids,
  };
  const missing = (["memory", "cpus", "pids"] as const).filter((name) => !held.has(name));
  const broken = missing.filter((name) => asked[name] !== undefined);
  const why = "this user may make no control group with that controller";
  const refused =
    broken.length === 0
      ? null
      : {
          fault: `the limit ${broken.join(", ")} cannot be held here: ${why}`,
          hint: "Start Trammel under `systemd-run --user --scope`, use a container image, or leave the limit out.",
        };
  return { refused, notes: missing.length === 0 ? [] : [`no limit of ${missing.join(", ")}: ${why}`] };
}

/** The shell that starts a box puts itself into its groups first, so nothing of it is ever outside. */
function joinArguments({ folders }: Groups): readonly string[] {
  const join = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"';
  return script(join, ...folders.map((folder) => path.join(folder, "cgroup.procs")), "--");
}

/** An image that belongs to root has no home another user could write to; both have their own /tmp. */
function homeIn(rootfs: Rootfs | null): string {
  if (rootfs === null) return hostHome;
  return isRoot() ? "/root" : "/tmp";
}

interface Box {
  readonly spec: SandboxSpec;
  readonly folder: BoxFolder;
  /** Null: the host's programs. */
  readonly rootfs: Rootfs | null;
  readonly programs: Programs;
  /** Trammel's own data. */
  readonly home: string;
}

function boxArguments({ spec, folder, rootfs, programs, home }: Box): readonly string[] {
  const network = spec.network === "host" ? ["--share-net"] : [];
  const files =
    rootfs === null
      ? hostUserland(folder.scratch, home)
      : ["--bind", rootfs.folder, "/", "--bind", `${folder.scratch}/tmp`, "/tmp"];
  const user = rootfs === null ? [] : ["--uid", "0", "--gid", "0"];
  return [
    ...(rootfs === null ? [] : enterArguments(rootfs, programs)),
    programs.bwrap,
    ...isolation.split(" "),
    ...network,
    ...user,
    ...files,
    ...(spec.network === "host" ? resolvers() : []),
    ...ownProc(),
    ..."--dev /dev --bind".split(" "),
    folder.workspace,
    boxWorkspace,
    ...mountArguments(spec.mounts),
    "--",
  ];
}
