/** Commands of the stock checks, by node name, as a project's own files suggest them. */
export type Commands = Readonly<Record<string, string>>;

/** Looks into a file of the project; null where there is none. */
export type ReadFile = (name: string) => string | null;

interface Ecosystem {
  /** The file that gives it away. */
  readonly file: string;
  readonly commands: (text: string, read: ReadFile) => Commands;
}

/** The first that is there counts for each command, so a project of two languages gets those of both. */
const ecosystems: readonly Ecosystem[] = [
  { file: "package.json", commands: ofNode },
  {
    file: "Cargo.toml",
    commands: () => ({
      lint: "cargo clippy --all-targets -- -D warnings",
      "type-check": "cargo check --all-targets",
      test: "cargo test",
    }),
  },
  { file: "go.mod", commands: () => ({ lint: "go vet ./...", "type-check": "go build ./...", test: "go test ./..." }) },
  { file: "pyproject.toml", commands: ofPython },
  { file: "Makefile", commands: ofMake },
];

export interface Discovery {
  readonly commands: Commands;
  /** Files that were found to say something. */
  readonly files: readonly string[];
}

export function discover(read: ReadFile): Discovery {
  const files: string[] = [];
  let commands: Commands = {};
  for (const { file, commands: suggest } of ecosystems) {
    const text = read(file);
    if (text === null) continue;
    const found = suggest(text, read);
    if (Object.keys(found).length > 0) files.push(file);
    commands = { ...found, ...commands };
  }
  return { commands, files };
}

/** Names that scripts of the same purpose go by. */
const scriptNames: Readonly<Record<string, readonly string[]>> = {
  lint: ["lint"],
  "type-check": ["type-check", "typecheck", "check-types", "tsc"],
  test: ["test"],
  "circular-deps-check": ["circular-deps-check", "circular", "madge"],
};

/** What `npm init` writes where there is no test. */
const placeholderTest = /no test specified/;

function ofNode(text: string, read: ReadFile): Commands {
  const scripts = scriptsOf(text);
  const run = packageManager(read);
  const found: Record<string, string> = {};
  for (const [node, names] of Object.entries(scriptNames)) {
    const name = names.find((one) => Object.hasOwn(scripts, one) && !placeholderTest.test(scripts[one] ?? ""));
    if (name !== undefined) found[node] = `${run} run ${name}`;
  }
  return found;
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  try {
    const manifest: unknown = JSON.parse(text);
    const scripts =
      typeof manifest === "object" && manifest !== null && "scripts" in manifest ? manifest.scripts : null;
    if (typeof scripts !== "object" || scripts === null) return {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

function packageManager(read: ReadFile): string {
  if (read("pnpm-lock.yaml") !== null) return "pnpm";
  if (read("yarn.lock") !== null) return "yarn";
  return read("bun.lock") === null ? "npm" : "bun";
}

function ofPython(text: string): Commands {
  return {
    ...(/\[tool\.ruff/.test(text) ? { lint: "ruff check ." } : {}),
    ...(/\[tool\.mypy/.test(text) ? { "type-check": "mypy ." } : {}),
    ...(/pytest/.test(text) ? { test: "pytest" } : {}),
  };
}

function ofMake(text: string): Commands {
  const found: Record<string, string> = {};
  for (const [node, names] of Object.entries(scriptNames)) {
    const name = names.find((one) => new RegExp(`^${one}\\s*:(?!=)`, "m").test(text));
    if (name !== undefined) found[node] = `make ${name}`;
  }
  return found;
}
