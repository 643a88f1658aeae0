import { keyNamesOf, vendorOf } from "./vendors.ts";

/** Addresses by the variable of the key that they may get. */
type Pairings = Readonly<Record<string, readonly string[]>>;

/** The parts of a configuration that put keys and addresses together. */
interface Pairing {
  readonly agent: { readonly model?: string; readonly baseUrl?: string; readonly key?: string };
  readonly mcp: Readonly<Record<string, { readonly url?: string; readonly key?: string }>>;
  readonly keys: Pairings;
}

/**
 * Where keys may be sent, by a user's own file: what it says under `keys`, and what it puts together itself. A
 * project's file comes with a clone, and must not choose who gets a key that sits in the environment.
 */
export function pairings({ agent, mcp, keys }: Pairing): Pairings {
  const found = new Map<string, string[]>(Object.entries(keys).map(([name, addresses]) => [name, [...addresses]]));
  const pair = (name: string, address: string): void => void found.set(name, [...(found.get(name) ?? []), address]);
  const vendor = vendorOf(agent.model);
  const { baseUrl } = agent;
  if (baseUrl !== undefined && vendor !== null) for (const name of keyNamesOf(vendor, agent.key)) pair(name, baseUrl);
  for (const { url, key } of Object.values(mcp)) if (url !== undefined && key !== undefined) pair(key, url);
  return Object.fromEntries(found);
}

/** Whether a key may be sent to an address: its scheme, host and port count. */
export function mayReach(keys: Pairings, name: string, address: string): boolean {
  const wanted = originOf(address);
  return wanted !== null && (keys[name] ?? []).some((known) => originOf(known) === wanted);
}

/** Why a key is kept back, and what its owner can do. */
export function keptBack(name: string, address: string): string {
  const origin = originOf(address) ?? address;
  return (
    `${name} is not sent to ${origin}, which the project's trammel.yaml names: only your own configuration decides where your keys go. ` +
    `If you trust that address, write into ~/.config/trammel/config.yaml: keys: {${name}: [${origin}]}`
  );
}

function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}
