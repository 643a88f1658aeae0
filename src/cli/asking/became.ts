import type { RunHalting } from "../../model/events.ts";
import type { Settlement } from "../../runtime/api.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";
import { idleScreen, terminalGates } from "./gate.ts";

/**
 * Asks at the terminal what became of an attempt whose outcome nobody knows; null
 * leaves that for later, as the end of input does.
 */
export async function whatBecame(world: World, run: string, { node, reason }: RunHalting): Promise<Settlement | null> {
  if (node === undefined) return null;
  const gates = terminalGates({ input: process.stdin, err: world.err, screen: idleScreen });
  const question = { run, node, mode: "choice", evidence: [], options, fields: {}, prompt: reason.text } as const;
  const answer = await gates.ask(question, new AbortController().signal);
  if (answer.kind !== "text") return null;
  switch (answer.text) {
    case "done":
    case "failed":
    case "again":
      return { node, as: answer.text, by: userName() };
    default:
      return null;
  }
}

const options = [
  { id: "done", title: "it did what it is for" },
  { id: "failed", title: "it did not, and the run goes on as after a failure" },
  { id: "again", title: "do it once more" },
  { id: "later", title: "leave it as it is" },
];
