import type { Sandbox } from "../../ports/sandbox.ts";

/** The same box, which tells when a command finds it gone. */
export function watched(sandbox: Sandbox, gone: () => void): Sandbox {
  return {
    id: sandbox.id,
    async exec(command, signal) {
      const result = await sandbox.exec(command, signal);
      if (result.end.kind === "lost") gone();
      return result;
    },
    async open(command) {
      const live = await sandbox.open(command);
      if ("fault" in live) gone();
      return live;
    },
    copyIn: (from, to, signal) => sandbox.copyIn(from, to, signal),
    copyOut: (from, to, signal) => sandbox.copyOut(from, to, signal),
    destroy: (workspace) => sandbox.destroy(workspace),
  };
}
