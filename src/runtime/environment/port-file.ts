import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import { isTooDeep, tooDeepText } from "../../model/nesting.ts";
import { messageOf } from "../../model/thrown.ts";
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
  let value: Json;
  try {
    // JSON.parse answers nothing but JSON.
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: `$TRAMMEL_OUTPUT is no JSON: ${messageOf(error)}` };
  }
  if (isTooDeep(value)) return { problem: `$TRAMMEL_OUTPUT is ${tooDeepText}` };
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { problem: '$TRAMMEL_OUTPUT must be a JSON object, e.g. {"version": "1.2"}' };
  }
  return { ports: value as Readonly<Record<string, Json>> };
}
