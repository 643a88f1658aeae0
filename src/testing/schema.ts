import { objectSchema } from "../language/read/table.ts";
import type { JsonSchema } from "../language/read/reading.ts";
import { fileFields } from "./fields.ts";

/**
 * JSON Schema (draft-07) of a test file, from the same tables that read it. Editors complete and explain keys with it.
 */
export function testSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Trammel blueprint tests",
    ...objectSchema(fileFields),
  };
}
