import { listOf } from "../read/collections.ts";
import type { Reader } from "../read/reading.ts";
import { text } from "../read/scalars.ts";
import { quote } from "../tree.ts";

const optionId = { pattern: /^[A-Za-z0-9_-]{1,64}$/, words: "an id of letters, digits, _ and -, at most 64" };
const reservedOptions: ReadonlySet<string> = new Set(["success", "failure", "error", "other", "end"]);

const optionText = text(optionId);

export const optionName: Reader<string> = {
  ...optionText,
  schema: { type: ["string", "number", "boolean"] },
  read(node, reading, field) {
    const id = node.kind === "scalar" ? node.source : "";
    if (reservedOptions.has(id.toLowerCase())) {
      reading.problem(
        "reserved-name",
        node,
        `${quote(id)} cannot be an option of ${reading.owner}: it has a fixed meaning in \`when:\``,
      );
      return undefined;
    }
    // YAML reads some ids (`no`, `1`) as other types; an id is what is written.
    return optionText.read(node.kind === "scalar" ? { ...node, value: node.source } : node, reading, field);
  },
};

export interface Identified {
  readonly id: string;
}

/** Options as a list of ids, or a map from id to what `about` reads; `bare` is an option of which nothing is said. */
export function optionsWith<T extends object>(about: Reader<T>, bare: T): Reader<readonly (T & Identified)[]> {
  return {
    expected: "a list of ids or a map from id to {title}",
    schema: {
      anyOf: [
        { type: "array", items: optionName.schema, minItems: 1 },
        { type: "object", additionalProperties: { anyOf: [about.schema, { type: "null" }] } },
      ],
    },
    read(node, reading, field) {
      if (node.kind !== "map")
        return listOf(optionName)
          .read(node, reading, field)
          ?.map((id) => ({ ...bare, id }));
      let whole = true;
      const found = node.entries.flatMap(({ key, value }) => {
        const id = optionName.read(key, reading, field);
        const said = value.kind === "scalar" && value.value === null ? bare : about.read(value, reading, field);
        whole &&= said !== undefined;
        return id === undefined || said === undefined ? [] : [{ ...said, id }];
      });
      // Nothing follows from an option whose rule could not be read.
      return whole ? found : undefined;
    },
    write(values) {
      if (values.every((option) => Object.keys(option).length === 1)) return values.map(({ id }) => id);
      return Object.fromEntries(
        values.map((option) => [option.id, Object.keys(option).length === 1 ? null : about.write(option)]),
      );
    },
  };
}
