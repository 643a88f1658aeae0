import { isJsonObject, type Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { bareProblem, readJson } from "../../model/json-text.ts";
import { scratchFile, takeScratch } from "../scratch/scratch.ts";

/** The file a process may write its ports to; its path is the child's `TRAMMEL_OUTPUT`. */
export interface PortFile {
  readonly path: string;
  /** Null where the process wrote none; read once, then the file is gone. */
  take(): Promise<Ports | null>;
}

export type Ports = { readonly ports: Readonly<Record<string, Json>> } | { readonly problem: string };

/** Nothing is made on disk: most processes have no ports. */
export function newPortFile(): PortFile {
  const file = scratchFile();
  return {
    path: file,
    async take() {
      const taken = await takeScratch(file, limits.portFileBytes);
      if (taken === null) return null;
      return "problem" in taken ? { problem: `$TRAMMEL_OUTPUT ${taken.problem}` } : parsePorts(taken.text);
    },
  };
}

/** Ports as a process wrote them; a sentence where they are none. */
export function parsePorts(text: string): Ports {
  if (text.trim() === "") return { ports: {} };
  const read = readJson(text);
  // What stands there has passed no boundary yet.
  if ("problem" in read) return { problem: `$TRAMMEL_OUTPUT ${bareProblem(read)}` };
  const { value } = read;
  if (!isJsonObject(value)) return { problem: '$TRAMMEL_OUTPUT must be a JSON object, e.g. {"version": "1.2"}' };
  return { ports: value };
}
