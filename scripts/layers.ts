import { parseSync } from "oxc-parser";

/** Which parts of `src/` a part may import; `null` means all of them. */
export type LayerTable = ReadonlyMap<string, ReadonlySet<string> | null>;

export interface Layers {
  readonly table: LayerTable;
  /** Parts without `node:*`. */
  readonly pure: ReadonlySet<string>;
}

/**
 * Reads the rule out of the document that states it, so that the two cannot differ: the rows of the map in
 * ARCHITECTURE.md and the sentence that names the pure layers.
 */
export function readLayers(markdown: string): Layers {
  const rows = markdown.matchAll(/^\| `src\/([\w.-]+)\/?` \|[^|]*\|([^|]*)\|$/gm);
  const cells = [...rows].map(([, name = "", allowed = ""]) => [name.replace(/\.ts$/, ""), allowed.trim()] as const);
  const names = cells.map(([name]) => name);
  const pure = /^((?:`\w+`(?:, | and )?)+) are pure/m.exec(markdown)?.[1] ?? "";
  return {
    table: new Map(cells.map(([name, allowed]) => [name, allowedParts(allowed, names)])),
    pure: new Set([...pure.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)),
  };
}

function allowedParts(cell: string, names: readonly string[]): ReadonlySet<string> | null {
  if (cell === "everything") return null;
  const except = /^everything but (.+)$/.exec(cell)?.[1];
  if (except !== undefined) {
    const excluded = new Set(except.split(/, | and /));
    return new Set(names.filter((name) => !excluded.has(name)));
  }
  return new Set(cell === "–" ? [] : cell.split(", "));
}

/** Problems of the table itself: an unknown name, or parts that may import each other in a circle. */
export function tableProblems({ table, pure }: Layers): string[] {
  const problems: string[] = [];
  for (const [name, allowed] of table) {
    for (const other of allowed ?? []) {
      if (!table.has(other)) problems.push(`ARCHITECTURE.md: ${name} may import "${other}", which has no row`);
    }
  }
  const circle = inCircle(
    new Map([...table].flatMap(([name, allowed]) => (allowed === null ? [] : [[name, new Set(allowed)]]))),
  );
  if (circle.length > 0) problems.push(`ARCHITECTURE.md: ${circle.join(", ")} may import each other`);
  for (const name of pure) if (!table.has(name)) problems.push(`ARCHITECTURE.md: pure layer "${name}" has no row`);
  if (table.size === 0) problems.push("ARCHITECTURE.md: no table of layers found");
  if (pure.size === 0) problems.push("ARCHITECTURE.md: no pure layers found");
  return problems;
}

/**
 * Names that import each other: what is left after taking away, again and again, whatever
 * imports nothing or is imported by nothing that is left.
 */
function inCircle(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let left = [...imports.keys()];
  for (;;) {
    const names = new Set(left);
    const others = (name: string): string[] =>
      [...(imports.get(name) ?? [])].filter((other) => other !== name && names.has(other));
    const imported = new Set(left.flatMap(others));
    const rest = left.filter((name) => imported.has(name) && others(name).length > 0);
    if (rest.length === left.length) return rest;
    left = rest;
  }
}

/**
 * What stands beside each other in a part, folders and files, imports one
 * another one way. `files` as for `importProblems`.
 */
export function roomProblems(files: ReadonlyMap<string, string>): string[] {
  const parts = new Map<string, Map<string, Set<string>>>();
  for (const [file, text] of files) {
    const [part, room] = roomOf(file);
    for (const { specifier } of importsOf(file, text)) {
      if (!specifier.startsWith(".")) continue;
      const [otherPart, other] = roomOf(resolvePath(file, specifier));
      if (otherPart !== part || other === room) continue;
      const rooms = getOrMake(parts, part, () => new Map<string, Set<string>>());
      getOrMake(rooms, room, () => new Set<string>()).add(other);
    }
  }
  return [...parts].flatMap(([part, rooms]) => {
    const circle = inCircle(rooms);
    return circle.length === 0 ? [] : [`${part}: ${circle.sort().join(", ")} import each other; move what both need`];
  });
}

/** `src/engine/routing/joins.ts` → src/engine, routing. */
function roomOf(file: string): readonly [string, string] {
  const [top = "", part = "", room = ""] = file.split("/");
  return [`${top}/${part}`, room];
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const kept = map.get(key) ?? make();
  map.set(key, kept);
  return kept;
}

const publicEntries: ReadonlySet<string> = new Set(["src/index.ts", "src/plugin.ts"]);

/** `files`: path from the root of the repository (`src/…`, tests left out) → text. */
export function importProblems(layers: Layers, files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [file, text] of files) {
    const from = partOf(file);
    const allowed = layers.table.get(from);
    if (allowed === undefined) {
      problems.push(`${file}: "${from}" has no row in the map of ARCHITECTURE.md`);
      continue;
    }
    for (const { specifier, line } of importsOf(file, text)) {
      const at = `${file}:${line}`;
      if (layers.pure.has(from) && specifier.startsWith("node:"))
        problems.push(`${at}: ${from} is pure; "${specifier}" is not`);
      if (!specifier.startsWith(".")) continue;
      const target = resolvePath(file, specifier);
      if (target === "package.json") continue;
      if (!files.has(target)) problems.push(`${at}: "${specifier}" is no source file (write the path with its .ts)`);
      const to = partOf(target);
      if (to !== from && allowed !== null && !allowed.has(to))
        problems.push(`${at}: ${from} may not import ${to} ("${specifier}")`);
    }
    if (!publicEntries.has(file)) problems.push(...reExports(file, text));
  }
  return problems;
}

function reExports(file: string, text: string): string[] {
  const { module } = parseSync(file, text);
  return module.staticExports
    .filter((statement) => statement.entries.some((entry) => entry.moduleRequest !== null))
    .map(
      (statement) =>
        `${file}:${lineOf(text, statement.start)}: passes another module's exports on; import from where they are defined`,
    );
}

interface FoundImport {
  readonly specifier: string;
  readonly line: number;
}

function importsOf(file: string, text: string): FoundImport[] {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? "does not parse"}`);
  const found: FoundImport[] = [];
  const add = (start: number, specifier: string): void => void found.push({ specifier, line: lineOf(text, start) });
  for (const { start, moduleRequest } of module.staticImports) add(start, moduleRequest.value);
  for (const { start, moduleRequest } of module.dynamicImports) {
    add(start, text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""));
  }
  for (const { entries } of module.staticExports) {
    for (const { start, moduleRequest } of entries) if (moduleRequest !== null) add(start, moduleRequest.value);
  }
  return found;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** `src/engine/reduce.ts` → engine; `src/compose.ts` → compose; `test/x.ts` → test. */
function partOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  return top === "src" ? second.replace(/\.ts$/, "") : top;
}

function resolvePath(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}
