import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { isTaken } from "../../config/text-file.ts";
import { canonical } from "../../language/canonical.ts";
import { changeNodes } from "../../language/change-nodes.ts";
import { allNodes, type Node } from "../../model/node.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { CalleePins } from "../../model/bound.ts";
import { limits } from "../../model/limits.ts";
import { shellWord } from "../../model/shell.ts";
import type { Plugin } from "../../ports/plugin.ts";
import type { Callee, Callees } from "../../runtime/api.ts";
import { findBlueprint } from "./by-name.ts";
import { readDocument, type SourceDocument } from "./document.ts";
import { lockOf } from "./lock.ts";
import { checkDocument } from "../plugins/plugins.ts";
import { isProblem, type Problem, usage } from "../problem.ts";

/** A blueprint whose calls are looked up, and everything that they lead to. */
export interface Resolved {
  /** With the content hash of its callee in each call. */
  readonly blueprint: Blueprint;
  readonly callees: Callees;
  readonly calls: CalleePins;
  /** Those whose node types callees use. */
  readonly plugins: readonly Plugin[];
}

export interface LookUp {
  /** Where blueprints are looked for by name, besides the folder of the document that names them. */
  readonly project: string;
  readonly config: Config;
  readonly bind: (blueprint: Blueprint, config: Config) => Promise<Blueprint>;
  /** What a run that goes on began with, by hash: its callees stay what they were. */
  readonly kept?: { readonly calls: CalleePins; readonly documents: ReadonlyMap<string, string> };
  /** Whether the pins of `trammel.lock` need not fit, since they are to be written. */
  readonly pinning?: true;
}

/** Looks up what a blueprint calls, and what that calls. Nothing is run. */
export function resolveCalls(
  blueprint: Blueprint,
  document: SourceDocument,
  look: LookUp,
): Promise<Resolved | Problem> {
  return new Resolver(look).resolve(blueprint, document, look.kept?.calls, [document.file]);
}

class Resolver {
  readonly #look: LookUp;
  readonly #callees = new Map<string, Callee>();
  readonly #plugins = new Set<Plugin>();
  readonly #done = new Map<string, { readonly hash: string; readonly calls: CalleePins }>();

  constructor(look: LookUp) {
    this.#look = look;
  }

  async resolve(
    blueprint: Blueprint,
    document: SourceDocument,
    pins: CalleePins | undefined,
    way: readonly string[],
  ): Promise<Resolved | Problem> {
    const found: (readonly [string, CalleePins[string]])[] = [];
    const lock = lockOf(dirname(document.file));
    if (isProblem(lock)) return lock;
    for (const reference of referencesOf(blueprint)) {
      const pin = pins !== undefined && Object.hasOwn(pins, reference) ? pins[reference] : undefined;
      const callee = await this.#callee(reference, document, pin, way);
      if (isProblem(callee)) return callee;
      const locked = pin === undefined && this.#look.pinning === undefined ? lock.pins.get(reference) : undefined;
      if (locked !== undefined && locked !== callee.hash) return changed(reference, document, locked, callee.hash);
      found.push([reference, Object.keys(callee.calls).length === 0 ? { hash: callee.hash } : callee]);
    }
    const calls = Object.fromEntries(found);
    const plugins = [...this.#plugins];
    return { blueprint: withPins(blueprint, calls), callees: this.#callees, calls, plugins };
  }

  async #callee(
    reference: string,
    from: SourceDocument,
    pin: CalleePins[string] | undefined,
    way: readonly string[],
  ): Promise<{ readonly hash: string; readonly calls: CalleePins } | Problem> {
    const kept = pin === undefined ? undefined : this.#look.kept?.documents.get(pin.hash);
    const found =
      kept === undefined ? findCallee(reference, from, this.#look.project) : { name: reference, file: "", text: kept };
    if (isProblem(found)) return { ...found, message: `${from.name} calls ${reference}: ${found.message}` };
    if (found.file !== "" && way.includes(found.file)) return recursion([...way, found.file], from);
    const done = found.file === "" ? undefined : this.#done.get(found.file);
    if (done !== undefined) return done;
    if (this.#callees.size >= limits.calleesPerRun)
      return usage(`${from.name} calls more than ${limits.calleesPerRun} blueprints`);
    const { blueprint, diagnostics, plugins, faults } = await checkDocument(found.text, this.#look.config);
    for (const plugin of plugins) this.#plugins.add(plugin);
    const [unloaded] = faults.flatMap(({ problems }) => problems);
    if (unloaded !== undefined) return usage(`${from.name} calls ${found.name}: ${unloaded.message}`, unloaded.hint);
    const [fault] = diagnostics.filter(({ severity }) => severity === "error");
    if (blueprint === null) {
      const message = `${from.name} calls ${found.name}, which has a problem: ${fault?.message ?? "it cannot be read"}`;
      return usage(message, `See it with: trammel check ${shellWord(found.name)}`);
    }
    const inner = await this.resolve(blueprint, found, pin?.calls ?? (kept === undefined ? undefined : {}), [
      ...way,
      found.file,
    ]);
    if (isProblem(inner)) return inner;
    const hash = contentHash(inner.blueprint);
    const bound = await this.#look.bind(inner.blueprint, this.#look.config);
    const file = found.file === "" ? {} : { file: found.file };
    this.#callees.set(hash, { blueprint: bound, document: found.text, ...file });
    const answer = { hash, calls: inner.calls };
    if (found.file !== "") this.#done.set(found.file, answer);
    return answer;
  }
}

/** What it calls, each once, as it names it. */
export function referencesOf(blueprint: Blueprint): readonly string[] {
  const calls = [...allNodes(blueprint)].flatMap((node) =>
    node.type === "call" && node.blueprint !== undefined ? [node.blueprint] : [],
  );
  return [...new Set(calls)];
}

/** Of a blueprint whose calls have the hashes of their callees. */
export function contentHash(blueprint: Blueprint): string {
  return createHash("sha256").update(canonical(blueprint)).digest("hex");
}

/** With the content hash of its callee in each call that the pins name. */
export function withPins(blueprint: Blueprint, calls: CalleePins): Blueprint {
  return changeNodes(blueprint, (node): Node => {
    if (node.type !== "call" || node.blueprint === undefined || !Object.hasOwn(calls, node.blueprint)) return node;
    const pin = calls[node.blueprint]?.hash;
    return pin === undefined ? node : { ...node, pin };
  });
}

/** Beside the document, then as anybody would name it there, then in the project, then among those of the package. */
export function findCallee(reference: string, from: SourceDocument, project: string): SourceDocument | Problem {
  const folder = dirname(from.file);
  const beside = [".yaml", ".yml"]
    .map((extension) => `${reference}${extension}`)
    .find((name) => isTaken(join(folder, name)));
  return beside === undefined ? findBlueprint(reference, folder, project) : readDocument(`./${beside}`, folder);
}

function recursion(way: readonly string[], from: SourceDocument): Problem {
  const last = way.at(-1) ?? "";
  const loop = way.slice(way.indexOf(last)).join(" → ");
  return usage(`${from.name} calls itself: ${loop}`, "A loop belongs into one blueprint, as edges with a cap.");
}

function changed(reference: string, document: SourceDocument, locked: string, found: string): Problem {
  const message = `${document.name} calls ${reference}, which is not what trammel.lock says: pinned ${locked.slice(0, 12)}, found ${found.slice(0, 12)}`;
  return usage(message, `Look at what changed, then accept it: trammel pin ${shellWord(document.name)}`);
}
