import { attachLauncher } from "../launcher.ts";

export interface Interrupts {
  /** Takes an interrupt that the terminal did not send as a signal, e.g. Ctrl-C at a prompt. */
  raise(): void;
  dispose(): void;
}

/**
 * Calls `stop` for every interrupt a person or the system makes. A terminal sends Ctrl-C to the launcher
 * and to this process; counting both sources apart tells one key press from two without a clock. A
 * launcher that is gone was killed outright, since it passes on every signal that it can: nobody asked for
 * a stop, so `killed` by default ends this process in the same way.
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
  const terminate = (signal: NodeJS.Signals) => stop(signal);
  // Of Ctrl-\, too, a launcher passes on what the terminal sends to both.
  let quits = 0;
  const quit = () => {
    quits += 1;
    if (quits === 1) stop("SIGQUIT");
  };
  process.on("SIGINT", interrupt).on("SIGTERM", terminate).on("SIGHUP", terminate).on("SIGQUIT", quit);
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
      process.off("SIGINT", interrupt).off("SIGTERM", terminate).off("SIGHUP", terminate).off("SIGQUIT", quit);
    },
  };
}
