import { attachLauncher } from "../launcher.ts";

export interface Interrupts {
  /** Takes an interrupt that the terminal did not send as a signal, e.g. Ctrl-C at a prompt. */
  raise(): void;
  dispose(): void;
}

/**
 * Calls `stop` for every interrupt that a person makes, and once for all other signals that ask for an end: only Ctrl-C
 * hurries what is being stopped. A terminal sends it to the launcher and to this process; counting both sources apart
 * tells one key press from two without a clock. A launcher that is gone was killed outright, since it passes on every
 * signal that it can: nobody asked for a stop, so `killed` by default ends this process in the same way.
 */
export function onInterrupt(
  env: NodeJS.ProcessEnv,
  stop: (by: string) => void,
  killed: () => void = () => process.kill(process.pid, "SIGKILL"),
): Interrupts {
  let direct = 0;
  let relayed = 0;
  let handled = 0;
  const settle = (by: string) => {
    while (handled < Math.max(direct, relayed)) {
      handled += 1;
      stop(by);
    }
  };
  const interrupt = () => {
    direct += 1;
    settle("Ctrl-C");
  };
  // A launcher passes these on, too, though a terminal that closes, and `timeout`, send them to both.
  let isAsked = false;
  const ask = (signal: NodeJS.Signals) => {
    if (isAsked) return;
    isAsked = true;
    stop(signal);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", ask).on("SIGHUP", ask).on("SIGQUIT", ask);
  attachLauncher(env, {
    interrupt() {
      relayed += 1;
      settle("Ctrl-C");
    },
    gone: killed,
  });
  return {
    raise: interrupt,
    dispose() {
      process.off("SIGINT", interrupt).off("SIGTERM", ask).off("SIGHUP", ask).off("SIGQUIT", ask);
    },
  };
}
