import type { RunHalting } from "../../model/events.ts";
import type { Budget, SaidUse } from "../../model/outcome.ts";
import type { GateKeeper } from "../../ports/gate.ts";
import type { Settlement } from "../../runtime/api.ts";
import { amountOfMoney, wholeNumber } from "../amounts.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";
import { idleScreen, terminalGates } from "./gate.ts";

/**
 * Asks at the terminal what became of an attempt whose outcome nobody knows; null
 * leaves that for later, as the end of input does.
 */
export async function whatBecame(world: World, run: string, halt: RunHalting): Promise<Settlement | null> {
  const { node, reason, unsaid = [] } = halt;
  if (node === undefined) return null;
  const gates = terminalGates({ input: process.stdin, err: world.err, screen: idleScreen });
  const question = { run, node, mode: "choice", evidence: [], options, fields: {}, prompt: reason.text } as const;
  const answer = await gates.ask(question, new AbortController().signal);
  if (answer.kind !== "text") return null;
  switch (answer.text) {
    case "done":
    case "failed":
    case "again":
      break;
    default:
      return null;
  }
  let used: SaidUse = {};
  for (const of of unsaid) {
    const said = await whatWasUsed(gates, run, node, of);
    if (said === null) return null;
    used = { ...used, ...said };
  }
  return { node, as: answer.text, by: userName(), ...(unsaid.length > 0 && { used }) };
}

/** Asks until it is an amount; null at the end of input. */
async function whatWasUsed(gates: GateKeeper, run: string, node: string, of: Budget): Promise<SaidUse | null> {
  const question = { run, node, mode: "input", evidence: [], options: [], fields: {} } as const;
  for (let prompt = usedPrompt[of]; ; prompt = `that is no amount; ${usedPrompt[of]}`) {
    const answer = await gates.ask({ ...question, prompt }, new AbortController().signal);
    if (answer.kind !== "text") return null;
    const text = answer.text.trim();
    const said = of === "tokens" ? tokensIn(text) : costIn(text);
    if (said !== null) return said;
  }
}

function tokensIn(text: string): SaidUse | null {
  const tokens = wholeNumber(text, 0);
  return tokens === null ? null : { tokens };
}

function costIn(text: string): SaidUse | null {
  const cost = amountOfMoney(text);
  return cost === null ? null : { cost };
}

const usedPrompt = {
  tokens: "how many tokens have agents used, in all, that have not said it?",
  cost: "what did that cost, such as 0.40 USD?",
};

const options = [
  { id: "done", title: "it did what it is for" },
  { id: "failed", title: "it did not, and the run goes on as after a failure" },
  { id: "again", title: "do it once more" },
  { id: "later", title: "leave it as it is" },
];
