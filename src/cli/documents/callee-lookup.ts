import { checkCallee } from "../../check/check.ts";
import type { Callee, CalleeOf } from "../../check/callee.ts";
import { limits } from "../../model/limits.ts";
import { shellWord } from "../../model/shell.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import { contentHash, findCallee, referencesOf, withPins } from "./callees.ts";
import { lockBeside } from "./lock.ts";
import type { SourceDocument } from "./document.ts";
import { isProblem } from "../problem.ts";

/** What the calls of documents lead to, read when a check asks for it, each file once. */
export class CalleeLookup {
  readonly #project: string;
  /** By file. */
  readonly #known = new Map<string, Callee | undefined>();

  /** `project` is where blueprints are looked for by name, besides the folder of the document that names them. */
  constructor(project: string) {
    this.#project = project;
  }

  of(document: SourceDocument): CalleeOf {
    return this.#from(document, [document.file]);
  }

  #from(document: SourceDocument, way: readonly string[]): CalleeOf {
    return (reference) => {
      const found = findCallee(reference, document, this.#project);
      if (isProblem(found))
        return { problem: found.message, ...(found.hint === undefined ? {} : { hint: found.hint }) };
      if (way.includes(found.file)) {
        const loop = [...way.slice(way.indexOf(found.file)), found.file].join(" → ");
        return {
          problem: `it leads back to itself: ${loop}`,
          hint: "A loop belongs into one blueprint, as edges with a cap.",
        };
      }
      if (this.#known.has(found.file)) return this.#known.get(found.file);
      if (way.length > limits.childLevels || this.#known.size >= limits.calleesPerRun) return undefined;
      const callee = this.#read(found, [...way, found.file]);
      this.#known.set(found.file, callee);
      return callee;
    };
  }

  /** Undefined where it uses what a plug-in may supply. */
  #read(found: SourceDocument, way: readonly string[]): Callee | undefined {
    const calleeOf = this.#from(found, way);
    const pins = pinsBeside(found);
    const { blueprint, diagnostics, decides } = checkCallee(found.text, {
      calleeOf,
      isCallee: true,
      ...(pins && { pins }),
    });
    if (blueprint !== null) {
      const hash = hashOf(blueprint, calleeOf);
      return { ...blueprint, decides, ...(hash === undefined ? {} : { hash }) };
    }
    if (diagnostics.some(({ code }) => code === "unknown-type")) return undefined;
    const [fault] = diagnostics.filter(({ severity }) => severity === "error");
    return {
      problem: `it has a problem: ${fault?.message ?? ""}`,
      hint: `See it with: trammel check ${shellWord(found.name)}`,
    };
  }
}

/** What is no lock is told where that document is checked. */
function pinsBeside({ file, text }: SourceDocument): ReadonlyMap<string, string> | undefined {
  const lock = lockBeside(file, text);
  return lock === undefined || isProblem(lock) ? undefined : lock.pins;
}

function hashOf(blueprint: Blueprint, calleeOf: CalleeOf): string | undefined {
  const calls: (readonly [string, { readonly hash: string }])[] = [];
  for (const reference of referencesOf(blueprint)) {
    const callee = calleeOf(reference);
    if (callee === undefined || "problem" in callee || callee.hash === undefined) return undefined;
    calls.push([reference, { hash: callee.hash }]);
  }
  return contentHash(withPins(blueprint, Object.fromEntries(calls)));
}
