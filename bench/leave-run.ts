import { line } from "./documents.ts";
import { documentOf, openHost } from "./host.ts";

/** A line of `nodes` no-ops and a last node that never ends by itself. */
export function heldLine(nodes: number): string {
  return line(nodes + 1, "type: noop").replace(`n${nodes + 1}: {type: noop}`, `n${nodes + 1}: {type: hold}`);
}

/**
 * usage: leave-run.ts HOME NODES — runs that line, prints the run's id once the
 * last node is claimed, and stays until it is killed.
 */
async function main(home: string, nodes: number): Promise<void> {
  const host = await openHost(home);
  await host.start(documentOf(heldLine(nodes)), ({ run, body }) => {
    if (body.type === "node.started" && body.node === `n${nodes + 1}`) process.stdout.write(`${run}\n`);
  });
  setInterval(() => undefined, 1 << 30);
}

if (import.meta.main) await main(process.argv[2] ?? "", Number(process.argv[3]));
