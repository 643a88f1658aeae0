/** Documents of any size that cost a naive checker more than their size. Each takes long enough to be measured. */
export const documents = {
  "gates after checks after agents": (n) =>
    graph(
      n,
      (i) => `  a${i}: {type: agent, prompt: x}\n  c${i}: {type: script, run: x}\n  g${i}: {type: human, mode: approval, prompt: x}\n`,
      (i) => `  - {from: a${i}, to: c${i}}\n  - {from: c${i}, when: success, to: g${i}}\n  - {from: g${i}, when: failure, to: a${i}}\n  - {from: g${i}, when: success, to: a${(i + 1) % n}}\n`,
    ),
  "maps of each other's lists": (n) =>
    graph(n, (i) => `  a${i}: {type: map, over: "{a${(i + 1) % n}}", do: {type: script, run: x, stdin: "{item}"}}\n`, fan),
  "references to what runs beside": (n) =>
    graph(n, (i) => `  a${i}: {type: script, run: x, stdin: "{a${(i + 1) % n}}"}\n`, fan),
  "outputs of arms": (n) =>
    `outputs:\n${times(n, (i) => `  o${i}: {type: integer, from: "{a${i}}"}\n`)}${graph(n, (i) => `  a${i}: {type: script, run: x}\n`, fan)}`,
  "edges to misspelt nodes": (n) =>
    graph(n, (i) => `  a${i}: {type: script, run: x}\n`, (i) => `  - {from: a${i}, when: success, to: b${i}}\n`),
  "fields that no node has": (n) => graph(n, (i) => `  a${i}: {type: script, rum: x}\n`, fan),
  "problems on one line beside a comment": (n) =>
    `nodes: {${times(n, (i) => `a${i}: {type: script, run: "x || true"},`)}} # trammel: allow braces-in-run\n`,
  "one list": (n) => `nodes: [${"a,".repeat(10 * n)}]\n`,
  "a key many times": (n) => "a: 1\n".repeat(4 * n),
  "texts with references": (n) => `nodes:\n  a0: {type: agent, prompt: "${"{tusk}".repeat(10 * n)}"}\n`,
} as const satisfies Readonly<Record<string, (size: number) => string>>;

export function isKind(name: string): name is keyof typeof documents {
  return Object.hasOwn(documents, name);
}

function times(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join("");
}

function graph(n: number, nodes: (index: number) => string, edges: (index: number) => string): string {
  return `entry: a0\nnodes:\n${times(n, nodes)}edges:\n${times(n, edges)}`;
}

/** From the first node to each. */
function fan(index: number): string {
  return index === 0 ? "" : `  - {from: a0, when: success, to: a${index}}\n`;
}
