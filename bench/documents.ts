/** Documents of every size, as text: what is measured goes through the checker like anybody's blueprint. */
function document(name: string, nodes: readonly string[], edges: readonly string[], body: string): string {
  const lines = [`name: ${name}`, `entry: ${nodes[0]}`, "nodes:"];
  for (const node of nodes) lines.push(`  ${node}: {${body}}`);
  lines.push("edges:", ...edges.map((edge) => `  - {${edge}}`));
  return `${lines.join("\n")}\n`;
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);
}

/** `count` nodes, one after the other. */
export function line(count: number, body: string): string {
  const nodes = numbered("n", count);
  const edges = nodes.map((node, n) => `from: ${node}, when: success, to: ${nodes[n + 1] ?? "END"}`);
  return document("line", nodes, edges, body);
}

/** One node, `count` nodes beside each other, one node that waits for them all. */
export function fan(count: number, body: string): string {
  const arms = numbered("arm", count);
  const edges = arms.flatMap((arm) => [
    `from: first, when: success, to: ${arm}`,
    `from: ${arm}, when: success, to: last`,
  ]);
  return document("fan", ["first", ...arms, "last"], [...edges, "from: last, to: END"], body);
}

/**
 * `depth` layers of `width` nodes, every node of one with an edge to every
 * node of the next, between a first and a last node.
 */
export function layers(width: number, depth: number, body: string): string {
  const rows = [["first"], ...numbered("layer", depth).map((layer) => numbered(`${layer}-`, width)), ["last"]];
  const edges = rows.flatMap((row, n) =>
    row.flatMap((from) => (rows[n + 1] ?? ["END"]).map((to) => `from: ${from}, when: success, to: ${to}`)),
  );
  return document("layers", rows.flat(), edges, body);
}

/** A line of `count` nodes and a short cut from its first node to a join behind its last. */
export function skewed(count: number, body: string): string {
  const nodes = [...numbered("n", count), "join"];
  const edges = nodes.map((node, n) => `from: ${node}, when: success, to: ${nodes[n + 1] ?? "END"}`);
  return document("skewed", nodes, [...edges, "from: n1, when: success, to: join"], body);
}

/** A line as people write it: a block a node, some prose, references to the node before. */
export function writtenLine(count: number): string {
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
  for (let n = 1; n <= count; n++)
    lines.push(`  - {from: n${n}, when: success, to: ${n < count ? `n${n + 1}` : "END"}}`);
  return `${lines.join("\n")}\n`;
}
