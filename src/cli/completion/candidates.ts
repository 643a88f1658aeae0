import type { Command, Option } from "commander";
import { codes } from "../../language/codes.ts";
import { limits } from "../../model/limits.ts";
import { inert } from "../../views/inert.ts";
import { listBlueprints, shippedBlueprints } from "../documents/by-name.ts";
import { isTestFile } from "../documents/document.ts";
import { namesIn } from "../documents/files.ts";
import { openStoreToRead } from "../store/stored-run.ts";
import type { World } from "../world.ts";

/** What may stand at the end of a line, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What may stand in the place of the last of the words that follow `trammel`, by what it begins with. */
export async function candidates(program: Command, words: readonly string[], world: World): Promise<Candidate[]> {
  const last = words.at(-1) ?? "";
  const { command, given, awaits } = walk(program, words.slice(0, -1));
  const all =
    awaits !== undefined
      ? await valuesFor(awaits.attributeName(), program, world)
      : last.startsWith("-")
        ? optionsOf(command)
        : given === 0 && command.commands.length > 0
          ? commandsOf(command)
          : await argumentsOf(command, given, program, world);
  return all.filter(({ value }) => value.startsWith(last) && /^[\w./@-]+$/.test(value));
}

interface Walked {
  readonly command: Command;
  /** Arguments that it has already. */
  readonly given: number;
  /** The option whose value comes next. */
  readonly awaits?: Option;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let given = 0;
  let awaits: Option | undefined;
  for (const word of words) {
    if (awaits !== undefined) awaits = undefined;
    else if (word.startsWith("-"))
      awaits = command.options.find(
        (one) => (one.short === word || one.long === word) && (one.required || one.optional),
      );
    else {
      const inner: Command | undefined =
        given === 0 ? visibleIn(command).find((one) => one.name() === word) : undefined;
      if (inner === undefined) given += 1;
      else command = inner;
    }
  }
  return awaits === undefined ? { command, given } : { command, given, awaits };
}

function commandsOf(command: Command): Candidate[] {
  return visibleIn(command).map((one) => ({ value: one.name(), about: one.description() }));
}

/** With `help`, which is no command of its own. */
function visibleIn(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function optionsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.map((one) => ({ value: one.long ?? one.flags, about: one.description }));
}

function argumentsOf(command: Command, given: number, program: Command, world: World): Promise<Candidate[]> {
  const expected = command.registeredArguments;
  const argument = expected[given] ?? (expected.at(-1)?.variadic === true ? expected.at(-1) : undefined);
  if (argument === undefined) return Promise.resolve([]);
  return valuesFor(argument.name(), program, world);
}

/** By the name of an argument or of an option; none where the shell completes files, or nobody can know. */
async function valuesFor(name: string, program: Command, world: World): Promise<Candidate[]> {
  switch (name) {
    case "run":
      return runs(world);
    case "target":
      return [...blueprints(world), ...(await runs(world))];
    case "blueprint":
    case "place":
      return blueprints(world);
    case "from":
      return [...shippedBlueprints().keys()].map((value) => ({ value, about: "" }));
    case "code":
      return Object.entries(codes).map(([value, { title }]) => ({ value, about: title }));
    case "command":
      return commandsOf(program);
    case "what":
      return words("blueprint", "config", "test");
    case "shell":
      return words("bash", "zsh", "fish");
    case "as":
      return words("done", "failed", "again");
    case "answer":
      return words("yes", "no");
    default:
      return [];
  }
}

function words(...values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: "" }));
}

/** Names, and the files that lie here. */
function blueprints({ cwd }: World): Candidate[] {
  const own = listBlueprints(cwd);
  const shipped = [...shippedBlueprints().keys()].filter((name) => !own.includes(name));
  const files = namesIn(cwd).filter((file) => /\.ya?ml$/.test(file) && !isTestFile(file));
  return [
    ...own.map((value) => ({ value, about: "of this project" })),
    ...shipped.map((value) => ({ value, about: "comes with trammel" })),
    ...files.map((value) => ({ value, about: "a file here" })),
  ];
}

/** None where the store cannot be read: a line is no place to say why. */
async function runs(world: World): Promise<Candidate[]> {
  try {
    const journal = await openStoreToRead(world);
    const rows = journal.runs(limits.runsOffered);
    await journal.close();
    return rows.map(({ run, blueprint, status }) => ({ value: run, about: `${inert(blueprint)}, ${status}` }));
  } catch {
    return [];
  }
}
