import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { messageOf } from "../src/model/thrown.ts";
import { rows } from "./rows.ts";
import { formatLine, resultOf } from "./table.ts";
import type { Line, Results } from "./table.ts";

/** `npm run bench [-- ROW …]`: one table, and bench/results/latest.json. A missed figure is told, it fails nothing. */
const selected = process.argv.slice(2);
const unknown = selected.filter((id) => rows.every((row) => row.id !== id));
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(", ")}; rows are ${rows.map((row) => row.id).join(", ")}`);
  process.exit(2);
}

console.log(`${"figure".padStart(9)}  ${"reach".padEnd(9)} verdict what`);
const lines: Line[] = [];
for (const row of rows.filter(({ id }) => selected.length === 0 || selected.includes(id))) {
  let measured: Line["measured"];
  try {
    measured = await row.measure();
  } catch (error) {
    measured = { failed: messageOf(error) };
  }
  lines.push({ row, measured });
  console.log(formatLine({ row, measured }));
}

const results: Results = {
  at: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  rows: lines.map(resultOf),
};
const folder = join(import.meta.dirname, "results");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "latest.json"), `${JSON.stringify(results, null, 2)}\n`);
if (lines.some(({ measured }) => "failed" in measured)) process.exitCode = 1;
