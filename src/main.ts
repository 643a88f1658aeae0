import { version } from "./cli/version.ts";

const argv = process.argv.slice(2);
const only = argv.length === 1 ? argv[0] : undefined;

if (only === "--version" || only === "-V" || only === "version") {
  // A reader that went away is no fault.
  process.stdout.on("error", () => undefined).write(`${version}\n`);
} else {
  // Otherwise Node would open a port by which whoever reaches it runs code in here, and answers gates.
  process.on("SIGUSR1", () => undefined);
  void import("./cli/start.ts").then(({ start }) =>
    start(argv, async () => (await import("./compose.ts")).composition),
  );
}
