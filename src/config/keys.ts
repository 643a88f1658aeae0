import type { Config } from "./config.ts";
import { keptBack, mayReach } from "./pairing.ts";
import { keyNamesOf, type VendorName, vendorOf } from "./vendors.ts";

export interface VendorAccess {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Variables in which the key was looked for, the usual one first. */
  readonly keyNames: readonly string[];
  /** Why the key that is there is not used. */
  readonly keptBack?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How each vendor is reached: the configured address and key for the vendor of `agent.model`, the usual variable for
 * the others. A key goes to another address than its vendor's own only where the user's own configuration says so.
 */
export function vendorAccess(config: Config, env: Environment): Readonly<Record<VendorName, VendorAccess>> {
  const { model, baseUrl, key } = config.agent;
  const configured = vendorOf(model);
  const access = (vendor: VendorName): VendorAccess => {
    const mine = vendor === configured;
    const keyNames = keyNamesOf(vendor, mine ? key : undefined);
    const address = mine ? baseUrl : undefined;
    const set = keyNames.filter((name) => (env[name] ?? "") !== "");
    const [first] = set;
    const used = set.find((name) => address === undefined || mayReach(config.keys, name, address));
    const apiKey = used === undefined ? undefined : env[used];
    return {
      ...(address === undefined ? {} : { baseUrl: address }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(first === undefined || used !== undefined || address === undefined
        ? {}
        : { keptBack: keptBack(first, address) }),
      keyNames,
    };
  };
  return {
    anthropic: access("anthropic"),
    openai: access("openai"),
    google: access("google"),
    compatible: access("compatible"),
  };
}

/** Why servers of the Model Context Protocol would get a key that only a project sends them, one line each. */
export function keptFromServers({ mcp, keys }: Config, env: Environment): readonly string[] {
  return Object.entries(mcp).flatMap(([server, { url, key }]) =>
    url === undefined || key === undefined || env[key] === undefined || mayReach(keys, key, url)
      ? []
      : [`mcp.${server}: ${keptBack(key, url)}`],
  );
}
