import type { Keyring } from "../../ports/secrets.ts";
import type { Ask, Asked } from "./ask.ts";

const notFound = 44;

/**
 * The login keychain of macOS. The tool writes what is no plain text as hex, so that values go in and out as Base64.
 */
export function macKeychain(ask: Ask, scope: string): Keyring {
  const account = (name: string): string => `${name}.${scope}`;
  const entry = (name: string): readonly string[] => ["-s", "trammel", "-a", account(name)];
  return {
    async find(name) {
      const asked = await ask(["find-generic-password", ...entry(name), "-w"]);
      if (asked.code === notFound) return null;
      orThrow(asked);
      return Buffer.from(asked.stdout.trim(), "base64").toString();
    },
    async keep(name, value) {
      // Interactively, so that the value is in no argument that `ps` shows.
      const words = ["add-generic-password", "-U", ...entry(name), "-w", Buffer.from(value).toString("base64")];
      orThrow(await ask(["-i"], `${words.join(" ")}\n`));
      // It ends well whatever became of the line.
      if ((await this.find(name)) !== value) throw new Error("the keychain did not keep it");
    },
    async remove(name) {
      const asked = await ask(["delete-generic-password", ...entry(name)]);
      if (asked.code !== notFound) orThrow(asked);
    },
  };
}

function orThrow({ code, said }: Asked): void {
  if (code !== 0) throw new Error(said === "" ? `security ended with ${code ?? "a signal"}` : said);
}
