import { createHash } from "node:crypto";
import type { Keyring } from "../../ports/secrets.ts";
import { askBy } from "./ask.ts";
import { macKeychain } from "./mac-keychain.ts";
import { secretService } from "./secret-service.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The keyring of this system, with the secrets of one data folder. Whether it works is known when it is used. */
export function systemKeyring(platform: NodeJS.Platform, env: Environment, home: string): Keyring {
  const scope = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return platform === "darwin"
    ? macKeychain(askBy("security", env), scope)
    : secretService(askBy("secret-tool", env), scope);
}
