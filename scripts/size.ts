import { sources } from "./files.ts";

/**
 * Lines of every source file, tests left out: how many there are, the median and
 * the largest. The limits themselves are lint rules.
 */
const sizes = [...sources()]
  .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
  .sort((a, b) => a.lines - b.lines);
const total = sizes.reduce((sum, { lines }) => sum + lines, 0);
const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
console.log(`size: ${sizes.length} source files, ${total} lines, median ${median}`);
for (const { file, lines } of sizes.slice(-5).reverse()) console.log(`  ${String(lines).padStart(4)}  ${file}`);
