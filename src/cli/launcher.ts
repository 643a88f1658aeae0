import { Socket } from "node:net";

export interface LauncherEvents {
  /** The launcher was told to interrupt. */
  interrupt(): void;
  /** The launcher is gone. */
  gone(): void;
}

const variable = "TRAMMEL_LAUNCHER_FD";

/**
 * Listens to the launcher that started this process under another Node; does nothing where there is none.
 * The channel alone never keeps the process alive.
 */
export function attachLauncher(env: NodeJS.ProcessEnv, events: LauncherEvents): void {
  const descriptor = Number(env[variable] ?? "");
  delete env[variable];
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  const channel = new Socket({ fd: descriptor, readable: true, writable: true });
  channel.on("data", (bytes) => {
    for (const _ of bytes) events.interrupt();
  });
  channel.on("error", () => undefined);
  channel.once("close", () => events.gone());
  channel.write("+");
  channel.unref();
}
