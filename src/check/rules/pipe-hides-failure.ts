import { isRefused } from "../../language/draft.ts";
import { commandsOf } from "../commands.ts";
import type { Rule } from "../rule.ts";

const testCommand =
  /(?:^|[;&|(\n])\s*(?:\w+=\S*\s+)*((?:npx|pnpm|yarn|bun|poetry run|uv run|bundle exec)\s+)?((?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|lint|check|typecheck|type-check)\b|(?:cargo|go|mvn|gradle|\.\/gradlew|dotnet|mix|deno|swift|make)\s+(?:test|check|clippy|vet|lint|verify)\b|(?:pytest|jest|vitest|mocha|tox|tsc|eslint|ruff|mypy|rspec|phpunit|ctest)\b)(?:[^|&;\n]|>&)*\|(?!\|)/;

/** A pipe answers with its last command: a failing test on its left goes unseen. */
export const pipeHidesFailure: Rule = {
  code: "pipe-hides-failure",
  needs: "document",
  check({ source, within }, report) {
    for (const { node, field, text, scalar } of commandsOf(source)) {
      if (field !== "run" || !text.includes("|") || text.includes("pipefail")) continue;
      const definition = node === undefined ? undefined : source.drafts.get(node);
      if (definition?.type === "script" && (definition.shell === "bash" || isRefused(definition, "shell"))) continue;
      const match = testCommand.exec(text);
      if (match === null) continue;
      const end = match.index + match[0].length;
      const start = match.index + match[0].indexOf(match[1] ?? match[2] ?? "");
      const message = `The outcome of \`${match[2]}\` is lost: a pipe answers with its last command`;
      const hint =
        definition?.type === "script"
          ? "Set `shell: bash`, which runs with pipefail."
          : "Write the output to a file first, or set pipefail.";
      report(within(scalar, start, end), message, hint);
    }
  },
};
