import { limits } from "../../model/limits.ts";
import { exitCodes } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import type { SecretStore } from "../../ports/secrets.ts";
import { escaped } from "../../views/inert.ts";
import type { SecretList } from "../../wire/secrets.ts";
import { hiddenLine } from "../asking/hidden.ts";
import { standardInput } from "../asking/standard-input.ts";
import { dataHome } from "../store/home.ts";
import { isInside } from "../inside.ts";
import { jsonLine } from "../json.ts";
import { type Problem, report, usage } from "../problem.ts";
import type { World } from "../world.ts";

/**
 * Keeps a secret under a name, which `secrets:` of a node then gives it. The value
 * comes from standard input or a prompt, never by argument.
 */
export async function set(world: World, name: string): Promise<number> {
  const refused = refusal(world, name);
  if (refused !== null) return report(world, refused);
  const value = await valueOf(world, name);
  if (value === null) return exitCodes.stopped;
  if (typeof value !== "string") return report(world, value);
  const store = await open(world);
  let kept: Awaited<ReturnType<SecretStore["keep"]>>;
  try {
    kept = await store.keep(name, value);
  } catch (error) {
    const message = `the secret ${name} could not be kept: ${messageOf(error)}`;
    return report(world, { exit: exitCodes.unavailable, message });
  }
  world.err.write(kept.where === "keyring" ? `${name} is in the keyring\n` : inFile(name, kept.why ?? ""));
  if (value.trim().length < limits.secretMinCharacters)
    world.err.write(`${name} has fewer than ${limits.secretMinCharacters} characters: it is not masked in output\n`);
  return exitCodes.ok;
}

function inFile(name: string, why: string): string {
  return `${name} is in a file that only you can read, not encrypted, as the keyring cannot be used: ${escaped(why)}\n`;
}

export async function list(world: World, options: { readonly json?: true }): Promise<number> {
  const secrets = (await open(world)).list();
  if (options.json === true) {
    world.out.write(jsonLine({ secrets: [...secrets] } satisfies SecretList));
    return exitCodes.ok;
  }
  world.out.write(secrets.map(({ name, where }) => `${name}  ${where}\n`).join(""));
  if (secrets.length === 0) world.err.write("no secrets are kept; trammel secret set NAME keeps one\n");
  return exitCodes.ok;
}

export async function remove(world: World, name: string): Promise<number> {
  const refused = refusal(world, name);
  if (refused !== null) return report(world, refused);
  try {
    if (await (await open(world)).remove(name)) return exitCodes.ok;
  } catch (error) {
    const message = `the secret ${name} could not be removed: ${messageOf(error)}`;
    return report(world, { exit: exitCodes.unavailable, message });
  }
  return report(world, usage(`there is no secret ${name}`, "trammel secret list names those that are kept."));
}

async function open(world: World): Promise<SecretStore> {
  const { openSecrets } = await world.compose();
  return openSecrets(dataHome(world.env, world.cwd), world.env, (what) => world.err.write(`${escaped(what)}\n`));
}

function refusal(world: World, name: string): Problem | null {
  if (isInside(world))
    return usage("secrets are not changed from inside a run", "Do it in a shell that no node started.");
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name.length <= limits.secretNameCharacters) return null;
  return usage(`${name} is no name of a secret`, "It is that of a variable: letters, digits and _, not a digit first.");
}

/** Null where a person broke it off. */
async function valueOf(world: World, name: string): Promise<string | Problem | null> {
  const given = world.interactive
    ? await hiddenLine(process.stdin, world.err, `${name} (not shown): `)
    : await piped(name);
  if (typeof given !== "string") return given;
  if (given.length > limits.secretCharacters) return tooLong(name);
  if (given === "")
    return usage(`no value for ${name} was given`, `As in: printf %s "$VALUE" | trammel secret set ${name}`);
  if (given.includes("\0")) return usage(`the value of ${name} holds a NUL, which no variable can`);
  return given;
}

function tooLong(name: string): Problem {
  return usage(`the value of ${name} is longer than ${limits.secretCharacters} characters`);
}

async function piped(name: string): Promise<string | Problem> {
  const given = await standardInput(limits.secretCharacters * 4);
  if (typeof given === "string") return given;
  if (given.unread === "too long") return tooLong(name);
  return usage(`the value of ${name} is no text`, `Encode it, as in: base64 FILE | trammel secret set ${name}`);
}
