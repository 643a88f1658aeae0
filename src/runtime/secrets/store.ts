import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../../model/thrown.ts";
import { identify } from "../processes/identity.ts";
import type { Keyring, KeptSecret, SecretStore } from "../../ports/secrets.ts";

export interface SecretStoreParts {
  /**
   * Folder of its own (0700): a value in a file of its name (0600), or an empty file that says it is in the keyring.
   */
  readonly folder: string;
  readonly keyring: Keyring;
  /** Told of a secret that is kept and cannot be had. */
  readonly notice: (what: string) => void;
}

const inKeyring = ".keyring";

export function secretStore({ folder, keyring, notice }: SecretStoreParts): SecretStore {
  const valueFile = (name: string): string => path.join(folder, name);
  const markFile = (name: string): string => path.join(folder, `${name}${inKeyring}`);
  const write = (file: string, text: string): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeHalf(folder, path.basename(file));
    const temporary = path.join(folder, `.${path.basename(file)}.${process.pid}`);
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, file);
  };
  return {
    list: () => namesIn(folder),
    async find(name) {
      const where = namesIn(folder).find((kept) => kept.name === name)?.where;
      if (where === "file") return readOwn(valueFile(name), name, notice);
      if (where === undefined) return null;
      const value = await keyring.find(name).catch(faultOf);
      if (typeof value === "string") return value;
      const why = value?.fault ?? "it is not there any more";
      notice(`the secret ${name} cannot be had from the keyring: ${why}`);
      return null;
    },
    async keep(name, value) {
      const fault = await keyring.keep(name, value).then(() => null, faultOf);
      write(fault === null ? markFile(name) : valueFile(name), fault === null ? "" : value);
      rmSync(fault === null ? valueFile(name) : markFile(name), { force: true });
      return fault === null ? { where: "keyring" } : { where: "file", why: fault.fault };
    },
    async remove(name) {
      const kept = namesIn(folder).find((one) => one.name === name);
      for (const file of [valueFile(name), markFile(name)]) removeHalf(folder, path.basename(file));
      if (kept === undefined) return false;
      if (kept.where === "keyring") await keyring.remove(name);
      rmSync(kept.where === "keyring" ? markFile(name) : valueFile(name), { force: true });
      return true;
    },
  };
}

/** What a process was writing when it was killed holds the value too. */
function removeHalf(folder: string, name: string): void {
  const half = `.${name}.`;
  for (const file of filesIn(folder).filter((one) => one.startsWith(half)))
    if (identify(Number(file.slice(half.length))) === null) rmSync(path.join(folder, file), { force: true });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly KeptSecret[] {
  const kept = filesIn(folder).flatMap((file): KeptSecret[] => {
    if (file.startsWith(".")) return [];
    return file.endsWith(inKeyring)
      ? [{ name: file.slice(0, -inKeyring.length), where: "keyring" }]
      : [{ name: file, where: "file" }];
  });
  return kept.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A file that others could have read or written keeps no secret. */
function readOwn(file: string, name: string, notice: SecretStoreParts["notice"]): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false });
  // Another process has removed it since it was listed.
  if (found === undefined) return null;
  if ((found.mode & 0o077) === 0) return readFileSync(file, "utf8");
  notice(`the secret ${name} is not used: others may read ${file}; set it anew`);
  return null;
}

function faultOf(error: unknown): { readonly fault: string } {
  return { fault: messageOf(error) };
}
