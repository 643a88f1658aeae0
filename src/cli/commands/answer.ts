import { check } from "../../check/check.ts";
import type { GateAnswered } from "../../model/events.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { Journal, RunRow } from "../../ports/journal.ts";
import { openGates } from "../../views/open-gates.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { findRun, openStore } from "../stored-run.ts";
import { typedAnswer } from "../typed-answer.ts";
import { userName } from "../user.ts";
import type { World } from "../world.ts";
import { resume, type ResumeOptions } from "./resume.ts";

/**
 * Answers a gate. The process that executes the run takes the answer from its mailbox; a parked run goes on here, to its end or to the
 * next gate.
 */
export async function answer(
  world: World,
  run: string,
  node: string,
  text: string,
  options: ResumeOptions,
): Promise<number> {
  const journal = await openStore(world);
  try {
    const row = findRun(journal, run);
    if (isProblem(row)) return report(world, row);
    const given = await answerTo(journal, row, node, text);
    if ("problem" in given) return report(world, given.problem);
    const { isAlive } = await world.compose();
    if (!isAlive(row.owner)) return await resume(world, row.run, { ...options, detach: true }, given);
    await journal.post(row.run, given.answer);
    world.err.write(`answered ${node} of run ${row.run}\n`);
    return exitCodes.ok;
  } finally {
    await journal.close();
  }
}

type Given = { readonly answer: GateAnswered } | { readonly problem: Problem };

async function answerTo(journal: Journal, row: RunRow, node: string, text: string): Promise<Given> {
  const open = openGates(journal.read(row.run));
  const gate = open.find((one) => one.gate.node === node)?.gate;
  if (gate === undefined) {
    const waiting = open.map((one) => one.gate.node);
    const hint = waiting.length === 0 ? "trammel inbox lists what waits." : `These wait: ${waiting.join(", ")}`;
    return { problem: usage(`nothing waits for an answer at ${node} of run ${row.run}`, hint) };
  }
  const document = journal.definition(row.definition);
  const blueprint = document === null ? null : check(document).blueprint;
  const by = userName();
  const human = blueprint?.nodes.get(node);
  if (human?.type === "human" && human.approvers?.includes(by) === false) {
    return { problem: usage(`${by} may not answer ${node}`, `Its approvers are: ${human.approvers.join(", ")}`) };
  }
  const typed = await typedAnswer(text, gate, blueprint);
  if ("problem" in typed) return typed;
  const { pass, attempt, digest } = gate;
  return { answer: { type: "gate.answered", node, pass, attempt, by, digest, answer: typed.value } };
}
