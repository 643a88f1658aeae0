import type { Keyring } from "../../ports/secrets.ts";
import type { Ask } from "./ask.ts";

/**
 * The Secret Service of a Linux desktop, by libsecret's own tool. It says
 * nothing, and ends with 1, where there is no such secret.
 */
export function secretService(ask: Ask, scope: string): Keyring {
  const attributes = (name: string): readonly string[] => ["service", "trammel", "scope", scope, "name", name];
  return {
    async find(name) {
      const { code, stdout, said } = await ask(["lookup", ...attributes(name)]);
      if (code === 0) return stdout;
      if (code === 1 && said === "") return null;
      throw new Error(said === "" ? `secret-tool ended with ${code ?? "a signal"}` : said);
    },
    async keep(name, value) {
      const { code, said } = await ask(["store", `--label=Trammel: ${name}`, ...attributes(name)], value);
      if (code !== 0) throw new Error(said === "" ? `secret-tool ended with ${code ?? "a signal"}` : said);
    },
    async remove(name) {
      const { code, said } = await ask(["clear", ...attributes(name)]);
      if (code !== 0 && said !== "") throw new Error(said);
    },
  };
}
