import type { Reader } from "../read/reading.ts";

/** What a variable of the environment may be called. */
export const variable = { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, words: "the name of an environment variable" };

/**
 * Names of variables, for a field that is never given what they hold: a value that is written there is refused, and no
 * message repeats it. `says` follows the field.
 */
function nameOnly(says: string, pattern: RegExp, hint: string): Reader<string> {
  return {
    expected: variable.words,
    schema: { type: "string", pattern: pattern.source },
    read(node, reading, field) {
      if (node.kind !== "scalar") {
        reading.problem("value-in-env", node, `${reading.place(field)} ${says}`, hint);
        return undefined;
      }
      if (pattern.test(node.source)) return node.source;
      const named = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(node.source)?.[1];
      const { start, end } = node.range;
      const width = named === undefined ? 1 : named.length + (node.style === "plain" ? 0 : 1);
      const range = { start, end: Math.min(end, start + width) };
      const mend = named === undefined ? hint : `Write ${named} alone; its value is read from the environment.`;
      reading.problem("value-in-env", range, `${reading.place(field)} ${says}`, mend);
      return undefined;
    },
    write: (value) => value,
  };
}

/** What it may be called in a configuration. */
export const configured = { ...variable, pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/ };

/** One of a list of variables of a node. */
export const variableName = nameOnly(
  "lists names of variables only, without values",
  variable.pattern,
  "Write names such as API_KEY; the values are read from the environment.",
);
/** One of a list of variables of a configuration. */
export const configuredVariable = nameOnly(
  "lists names of variables only, without values",
  configured.pattern,
  "Write names such as API_KEY; the values are read from the environment.",
);
/** The variable of a configuration that holds a key. */
export const keyVariable = nameOnly(
  "is the name of the variable that holds the key, never the key itself",
  configured.pattern,
  "Write a name such as API_KEY, and keep the key in the environment or with trammel secret set API_KEY.",
);
