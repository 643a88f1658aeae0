/** A document of `count` nodes in one line, each with the given body, e.g. `type: noop`. */
export function linearDocument(count: number, body: string): string {
  const lines = ["name: linear", "entry: n1", "nodes:"];
  for (let n = 1; n <= count; n++) lines.push(`  n${n}: {${body}}`);
  lines.push("edges:");
  for (let n = 1; n < count; n++) lines.push(`  - {from: n${n}, when: success, to: n${n + 1}}`);
  lines.push(`  - {from: n${count}, to: END}`);
  return `${lines.join("\n")}\n`;
}

/** The same graph as people write it: a block a node, some prose, references to the node before. */
export function writtenDocument(count: number): string {
  const lines = ["name: written", "note: Ten thousand steps in a line.", "entry: n1", "nodes:"];
  for (let n = 1; n <= count; n++) {
    lines.push(
      `  n${n}:`,
      "    type: script",
      `    note: Step ${n} of the line.`,
      `    run: ./step.sh "$BEFORE" --number ${n}`,
    );
    lines.push("    timeout: 5m", "    env:", `      BEFORE: "${n === 1 ? "{task}" : `{n${n - 1}.stdout}`}"`);
  }
  lines.push("edges:");
  for (let n = 1; n < count; n++) lines.push(`  - {from: n${n}, when: success, to: n${n + 1}}`);
  lines.push(`  - {from: n${count}, when: success, to: END}`);
  return `${lines.join("\n")}\n`;
}
