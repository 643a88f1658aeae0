import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import type { SandboxMount } from "../../ports/sandbox.ts";
import type { BoxFolder } from "./layout.ts";

/** Folders of programs; homes, /var, /srv, /run and the rest of /etc are the host's own affair. */
const programs = ["/usr", "/opt", "/nix", "/gnu"];
const shortcuts = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** What programs read of /etc to work at all: no keys, no passwords, no settings of services. */
const settings = `
  alternatives ca-certificates ca-certificates.conf crypto-policies debian_version fonts group hosts java
  ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime lsb-release magic mime.types nsswitch.conf
  os-release passwd perl pki/ca-trust pki/tls/cert.pem pki/tls/certs protocols python3 services ssl/cert.pem ssl/certs
  ssl/openssl.cnf static terminfo timezone`;

/** The home of `image: host`; the one named in /etc/passwd is not there. */
export const hostHome = "/home/box";

/** `image: host`: the programs of this machine, read-only, with places of its own to write to. */
export function hostUserland(scratch: BoxFolder["scratch"], home: string): readonly string[] {
  return [
    ...programs.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...shortcuts.flatMap(shortcut),
    ...settings
      .trim()
      .split(/\s+/)
      .flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    // Where Trammel's own data lies among the programs, it is covered.
    ...programs.flatMap((folder) => (home.startsWith(`${folder}/`) ? ["--tmpfs", home] : [])),
    ...writable(`${scratch}/home`, hostHome),
    ...writable(`${scratch}/tmp`, "/tmp"),
    ..."--dir /run --dir /var --symlink /tmp /var/tmp".split(" "),
  ];
}

function writable(from: string, to: string): readonly string[] {
  return ["--bind", from, to];
}

/** On most systems a link into /usr. */
export function shortcut(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return lstatSync(folder).isSymbolicLink()
    ? ["--symlink", readlinkSync(folder), folder]
    : ["--ro-bind", folder, folder];
}

/** Folders and files of /proc that act on the whole kernel for uid 0, whatever its capabilities. */
const readOnly = ["acpi", "asound", "driver", "dynamic_debug", "fs", "scsi", "sys", "sysrq-trigger", "tty"];
const hidden = ["kcore", "keys", "key-users", "kmsg", "latency_stats", "sched_debug", "timer_list", "timer_stats"];

/** A /proc of the box's own processes: what else is in it can be looked at, or not even that, and never written. */
export function ownProc(): readonly string[] {
  return [
    "--proc",
    "/proc",
    ...readOnly.flatMap((name) => ["--ro-bind-try", `/proc/${name}`, `/proc/${name}`]),
    ...hidden
      .filter((name) => existsSync(`/proc/${name}`))
      .flatMap((name) => ["--ro-bind", "/dev/null", `/proc/${name}`]),
  ];
}

/** With the host's network come its resolvers; the file is often a link into /run. */
export function resolvers(): readonly string[] {
  const file = "/etc/resolv.conf";
  return existsSync(file) ? ["--ro-bind", realpathSync(file), file] : [];
}

export function mountArguments(mounts: readonly SandboxMount[]): readonly string[] {
  return mounts.flatMap((mount) => [mount.writable ? "--bind" : "--ro-bind", mount.from, mount.to]);
}
