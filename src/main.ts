import { version } from "./cli/version.ts";

const argv = process.argv.slice(2);
const only = argv.length === 1 ? argv[0] : undefined;

if (only === "--version" || only === "-V" || only === "version") {
  process.stdout.write(`${version}\n`);
} else {
  const { start } = await import("./cli/start.ts");
  await start(argv, async () => (await import("./compose.ts")).composition);
}
