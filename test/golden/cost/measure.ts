import { check } from "../../../src/check/check.ts";
import { documents, isKind } from "./documents.ts";

/** Checks documents of one kind in the sizes given, after one to warm up, and prints what that took. */
const [kind = "", ...sizes] = process.argv.slice(2);
if (!isKind(kind)) throw new Error(`no kind ${kind}`);
check(`name: x\n${documents[kind](500)}`);
const took = sizes.map((size) => {
  const text = `name: x\n${documents[kind](Number(size))}`;
  const start = process.cpuUsage();
  const { diagnostics } = check(text);
  return { ms: process.cpuUsage(start).user / 1000, problems: diagnostics.length };
});
process.stdout.write(JSON.stringify({ took, peakMiB: process.resourceUsage().maxRSS / 1024 }));
