import { objectSchema } from "../language/read/table.ts";
import type { JsonSchema } from "../language/read/reading.ts";
import { configFields } from "./parse.ts";

/**
 * JSON Schema (draft-07) of a configuration file, from the same tables that
 * read it. Editors complete and explain keys with it.
 */
export function configSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Trammel configuration",
    ...objectSchema(configFields),
  };
}
