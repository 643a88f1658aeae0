import { accessSync, constants, readFileSync } from "node:fs";
import path from "node:path";

/** Where a new control group goes so that a controller works in it. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Absolute; its children have the controller, and this user may make them. */
  readonly parent: string;
}

interface Mount {
  readonly version: 1 | 2;
  readonly at: string;
  /** The part of the hierarchy that is mounted there. */
  readonly root: string;
  readonly controllers: readonly string[];
}

/** What the kernel says of this process: /proc/self/mountinfo and /proc/self/cgroup. */
export interface GroupTables {
  readonly mounts: string;
  readonly own: string;
}

export function groupTables(): GroupTables {
  return { mounts: read("/proc/self/mountinfo"), own: read("/proc/self/cgroup") };
}

/** Null where the machine, or this user, has no such control group to make. */
export function hierarchyOf(controller: string, { mounts: table, own }: GroupTables): Hierarchy | null {
  const mounts = mountsIn(table);
  const first = mounts.find(({ version, controllers }) => version === 1 && controllers.includes(controller));
  const mount = first ?? mounts.find(({ version }) => version === 2);
  if (mount === undefined) return null;
  for (const parent of upwards(mount.at, placeOf(mount, own, controller)))
    if (isUsable(mount, parent, controller)) return { version: mount.version, parent };
  return null;
}

/** See proc_pid_mountinfo(5); the fields after ` - ` are type, source and super options. */
function mountsIn(table: string): readonly Mount[] {
  return table.split("\n").flatMap((line): Mount[] => {
    const [left = "", right = ""] = line.split(" - ");
    const [, , , root = "/", at = ""] = left.split(" ").map(unescaped);
    const [type = "", , options = ""] = right.split(" ");
    if (type === "cgroup2") return [{ version: 2, at, root, controllers: [] }];
    return type === "cgroup" ? [{ version: 1, at, root, controllers: options.split(",") }] : [];
  });
}

/** Blanks, line ends and backslashes are octal there. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Folder of the group this process is in, below the mount. See cgroups(7): `id:controllers:path`. */
function placeOf({ version, at, root }: Mount, own: string, controller: string): string {
  const row = own.split("\n").find((line) => {
    const [, names = ""] = line.split(":");
    return version === 2 ? line.startsWith("0::") : names.split(",").includes(controller);
  });
  const place = row?.split(":").slice(2).join(":") ?? "/";
  const inside = place.startsWith(root) ? place.slice(root === "/" ? 0 : root.length) : "/";
  return path.join(at, inside);
}

function* upwards(top: string, from: string): Iterable<string> {
  for (let folder = from; folder.startsWith(top); folder = path.dirname(folder)) {
    yield folder;
    if (folder === top) return;
  }
}

/** In version 2 a group that hands controllers down holds no processes itself, so the right parent is further up. */
function isUsable({ version }: Mount, parent: string, controller: string): boolean {
  try {
    accessSync(parent, constants.W_OK);
    accessSync(path.join(parent, "cgroup.procs"), constants.W_OK);
  } catch {
    return false;
  }
  return version === 1 || read(path.join(parent, "cgroup.subtree_control")).split(/\s+/).includes(controller);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
