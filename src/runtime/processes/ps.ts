import { spawnSync } from "node:child_process";
import type { ProcessRow } from "./procfs.ts";

const columns = "pid=,ppid=,pgid=,sess=,stat=,lstart=";

/** The process table where there is no /proc (macOS, BSD). One call costs some 10 ms. */
export function listByPs(only?: number): ProcessRow[] {
  const selection = only === undefined ? ["-A"] : ["-p", String(only)];
  const { stdout } = spawnSync("ps", [...selection, "-o", columns], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
  });
  return (stdout ?? "").split("\n").flatMap(parseRow);
}

/** `lstart` has whole seconds: two processes with one pid inside a second cannot be told apart here. */
function parseRow(line: string): ProcessRow[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (match === null) return [];
  const [, pid, parent, group, session, state, startTime] = match;
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      // macOS prints an address or 0 here; it then equals no pid and decides nothing.
      session: Number(session) || 0,
      startTime: startTime ?? "",
      zombie: state?.startsWith("Z") ?? false,
    },
  ];
}
