import { expect, it } from "vitest";
import { onInterrupt } from "./interrupts.ts";

it("takes signals that reach a whole process group for one wish, which only Ctrl-C hurries", () => {
  const stops: string[] = [];
  const interrupts = onInterrupt({}, (by) => stops.push(by));
  try {
    // As `timeout` and a terminal that closes send them: to this process, and to a launcher that passes them on.
    for (const signal of ["SIGHUP", "SIGHUP", "SIGTERM", "SIGTERM", "SIGQUIT"] as const) process.emit(signal, signal);
    expect(stops).toEqual(["SIGHUP"]);
    process.emit("SIGINT", "SIGINT");
    expect(stops).toEqual(["SIGHUP", "Ctrl-C"]);
  } finally {
    interrupts.dispose();
  }
});
