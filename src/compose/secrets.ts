import { join } from "node:path";
import type { ServiceOptions } from "../cli/services.ts";
import type { Config } from "../config/config.ts";
import type { SecretStore } from "../ports/secrets.ts";
import { providerKeys } from "../runtime/environment/credentials.ts";
import { systemKeyring } from "../runtime/secrets/keyring.ts";
import { secretStore } from "../runtime/secrets/store.ts";

type Environment = ServiceOptions["env"];

export type FindSecret = (name: string) => Promise<string | null>;

export function openSecrets(home: string, env: Environment, notice: (what: string) => void): SecretStore {
  const keyring = systemKeyring(process.platform, env, home);
  return secretStore({ folder: join(home, "secrets", "named"), keyring, notice });
}

/** A secret by name, asked for once: where it is kept, else as the environment has it. */
export function secretsOf(store: SecretStore, env: Environment): FindSecret {
  const known = new Map<string, Promise<string | null>>();
  return (name) => {
    const asked =
      known.get(name) ??
      store.find(name).then((value) => value ?? (Object.hasOwn(env, name) ? (env[name] ?? null) : null));
    known.set(name, asked);
    return asked;
  };
}

/** The environment with the keys of models that are kept, for those who speak to models; no child inherits it. */
export function withKeys(
  store: SecretStore,
  find: FindSecret,
  { agent: { key } }: Config,
  env: Environment,
): Promise<Environment> {
  return withKept(store, find, (name) => name === key || providerKeys.has(name), env);
}

/** The environment with what is kept under the names that servers of the Model Context Protocol are given. */
export function withServerKeys(
  store: SecretStore,
  find: FindSecret,
  { mcp }: Config,
  env: Environment,
): Promise<Environment> {
  const names = new Set(Object.values(mcp).flatMap(({ key, variables = [] }) => [...variables, key]));
  return withKept(store, find, (name) => names.has(name), env);
}

async function withKept(
  store: SecretStore,
  find: FindSecret,
  isMeant: (name: string) => boolean,
  env: Environment,
): Promise<Environment> {
  const kept = store.list().filter(({ name }) => isMeant(name));
  const keys: [string, string][] = [];
  for (const { name } of kept) keys.push([name, (await find(name)) ?? ""]);
  return kept.length === 0 ? env : { ...env, ...Object.fromEntries(keys.filter(([, value]) => value !== "")) };
}
