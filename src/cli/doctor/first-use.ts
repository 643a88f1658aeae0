import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { loadConfig, userFile } from "../../config/load.ts";
import { readTextFile } from "../../config/text-file.ts";
import type { VendorName } from "../../config/vendors.ts";
import { allNodes } from "../../model/node.ts";
import type { AgentSettings } from "../../model/agent-settings.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { settingsOf } from "../../nodes/agent-settings.ts";
import type { Answer, GateKeeper, Question } from "../../ports/gate.ts";
import { inert } from "../../views/inert.ts";
import { type Found, findAgents } from "./found.ts";
import { idleScreen, terminalGates } from "../asking/gate.ts";
import { modelsOf } from "./models.ts";
import type { Prepared } from "../running/prepare.ts";
import { type Problem, report, usage } from "../problem.ts";
import type { World } from "../world.ts";

/** One way to get an agent, and what it takes in the configuration. */
interface Way {
  readonly id: string;
  readonly title: string;
  readonly agent: { readonly provider?: string; readonly model?: string; readonly baseUrl?: string };
  /** Its model is still to be named. */
  readonly vendor?: VendorName;
}

/**
 * Whether some agent of a run has neither provider nor model from anywhere. Then a person at a terminal is asked once
 * which of what there is to use, and the answer is written into the person's own configuration.
 */
export function lacksAgent({ blueprint, callees, config }: Prepared): boolean {
  const all = [blueprint, ...[...callees.values()].map((callee) => callee.blueprint)];
  return all.some((one) =>
    [...allNodes(one)].some((node) => node.type === "agent" && isUnset(settingsOf(node, one.agent, config.agent))),
  );
}

function isUnset({ provider, model }: AgentSettings): boolean {
  return provider === undefined && model === undefined;
}

/**
 * Asks, and writes the choice; `nothing` where there is nothing to choose from, else the exit code where none was made.
 */
export async function chooseAgent(world: World): Promise<"written" | "nothing" | number> {
  const found = await findAgents({ env: await keyed(world) });
  const ways = waysIn(found);
  const file = userFile(world.env);
  if (ways.length === 0 || file === null) return "nothing";
  const gates = terminalGates({ input: process.stdin, err: world.err, screen: idleScreen });
  const options = [...ways.map(({ id, title }) => ({ id, title })), { id: "none", title: "none of these, not now" }];
  const prompt =
    "No agent is set up. Which of what is here shall do the work? The choice goes into your own configuration.";
  const chosen = wordOf(await ask(gates, { mode: "choice", prompt, options }));
  const way = ways.find(({ id }) => id === chosen);
  if (way === undefined) return report(world, undecided);
  const agent = way.vendor === undefined ? way.agent : await withModel(world, gates, way.vendor);
  if (agent === null) return report(world, undecided);
  const problem = await write(world, file, agent);
  return problem === null ? "written" : report(world, problem);
}

const undecided: Problem = usage(
  "no agent was chosen",
  "Set one up in ~/.config/trammel/config.yaml: agent: {provider: claude}, or agent: {model: anthropic/…}; trammel doctor says what is there.",
);

function waysIn({ agents, keys, ollama }: Found): readonly Way[] {
  const local = "absent" in ollama ? [] : ollama.models.slice(0, limits.modelsShown);
  const baseUrl = "absent" in ollama ? "" : ollama.baseUrl;
  return [
    ...agents.map((name) => ({
      id: name,
      title: "the agent on your PATH, as it is set up",
      agent: { provider: name },
    })),
    ...local.map((model) => ({
      id: model,
      title: "a model of the Ollama on this machine",
      agent: { model: `compatible/${model}`, baseUrl },
    })),
    ...keys.map(({ vendor, variable }) => ({
      id: vendor,
      title: `a model of ${vendor}, paid for with ${variable}`,
      agent: {},
      vendor,
    })),
  ];
}

/** Which model, out of those that the vendor says it has. */
async function withModel(world: World, gates: GateKeeper, vendor: VendorName): Promise<Way["agent"] | null> {
  const { vendorAccess } = await import("../../config/keys.ts");
  const { config } = await loadConfig(world.cwd, world.env);
  const listed = await modelsOf(vendor, vendorAccess({ ...config, agent: {} }, await keyed(world))[vendor]);
  const known = "fault" in listed ? [] : listed.models;
  const some = known.slice(0, limits.modelsShown).join(", ");
  const prompt = `Which model of ${vendor}?${some === "" ? "" : ` It has ${some}${known.length > limits.modelsShown ? ", …" : ""}`}`;
  const name = wordOf(await ask(gates, { mode: "input", prompt, options: [] }))?.trim() ?? "";
  return name === "" ? null : { model: name.startsWith(`${vendor}/`) ? name : `${vendor}/${name}` };
}

/** Keys that are kept count as those in the environment do. */
async function keyed({ cwd, env, compose }: World): Promise<World["env"]> {
  const [{ keyedEnvironment }, { config }] = await Promise.all([compose(), loadConfig(cwd, env)]);
  return keyedEnvironment(config, env);
}

function ask(gates: GateKeeper, question: Pick<Question, "mode" | "prompt" | "options">): Promise<Answer> {
  const whole = { run: "", node: "agent", evidence: [], fields: {}, ...question };
  return gates.ask(whole, new AbortController().signal);
}

function wordOf(answer: Answer): string | null {
  return answer.kind === "text" ? answer.text : null;
}

/**
 * Puts what was chosen into `agent` of the file, and leaves all else as it is,
 * there too: a policy that its owner set still holds.
 */
async function write(world: World, file: string, agent: Way["agent"]): Promise<Problem | null> {
  const { isAlias, isMap, parseDocument } = await import("yaml");
  const known = readTextFile(file);
  if (known !== null && "fault" in known) return usage(`${file} cannot be read: ${known.fault}`);
  const document = parseDocument(
    known?.text ?? "# Your own configuration of Trammel. Keys never stand here: they stay in the environment.\n",
  );
  const own = document.get("agent", true);
  if (isAlias(own)) return usage(`\`agent\` of ${file} stands elsewhere in it`, "Add provider or model there.");
  if (isMap(own)) for (const [key, value] of Object.entries(agent)) own.set(key, value);
  else document.set("agent", agent);
  const text = document.toString({ lineWidth: 0 });
  const making = `${file}.${process.pid}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(making, text, { flag: "wx", mode: 0o600 });
    chmodSync(making, 0o600);
    renameSync(making, file);
  } catch (error) {
    rmSync(making, { force: true });
    return usage(`${file} cannot be written: ${messageOf(error)}`);
  }
  const { stringify } = await import("yaml");
  world.err.write(`wrote into ${file}:\n${inert(stringify({ agent })).replace(/^(?=.)/gm, "  ")}`);
  return null;
}
