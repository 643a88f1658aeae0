import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/files.ts";
import { Place, trammel } from "./support/cli.ts";

const good = `name: good\nnodes:\n  a: {type: script, run: "true"}\n`;

async function offered(place: Place, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await trammel(["complete", "--", ...words], { place });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 1)[0] ?? ""]));
}

function project(): Place {
  const place = new Place();
  mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
  place.file(".trammel/blueprints/fine.yaml", good);
  place.file("first.yaml", good);
  place.file("first.test.yaml", "tests: []\n");
  place.file("a $(touch hacked).yaml", good);
  return place;
}

test("a line is completed by what stands before", async () => {
  using place = project();
  expect(await offered(place, "che")).toEqual(["check"]);
  expect(await offered(place, "test-e")).toEqual([]);
  expect(await offered(place, "run", "--inp")).toEqual(["--input", "--input-file"]);
  expect(await offered(place, "run", "-b", "fi")).toEqual(["fine", "fix-test-failure", "first.yaml"]);
  expect(await offered(place, "run", "a task", "--blueprint", "fi")).toContain("fine");
  expect(await offered(place, "run", "a")).toEqual([]);
  expect(await offered(place, "check", "first.yaml", "fin")).toEqual(["fine"]);
  expect(await offered(place, "explain", "unknown-f")).toEqual(["unknown-field"]);
  expect(await offered(place, "secret", "")).toEqual(["set", "list", "rm", "help"]);
  expect(await offered(place, "help", "ru")).toEqual(["run", "runs"]);
  expect(await offered(place, "settle", "x", "a", "--as", "")).toEqual(["done", "failed", "again"]);
  expect(await offered(place, "show", "0")).toEqual([]);
  expect((await trammel(["run", "-b", "fine"], { place })).code).toBe(0);
  const [run = "", ...others] = await offered(place, "show", "0");
  expect(others).toEqual([]);
  expect((await trammel(["show", run], { place })).stdout).toContain(run);
});

test("bash completes a line with what it prints, and carries out nothing that stands in it", () => {
  using place = project();
  mkdirSync(place.path("bin"));
  symlinkSync(join(root, "bin/trammel.js"), place.path("bin/trammel"));
  const typed = (words: string): string =>
    execFileSync(
      "bash",
      [
        "-c",
        `eval "$(trammel completion bash)"; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _trammel; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      {
        cwd: place.folder,
        encoding: "utf8",
        env: {
          ...process.env,
          TRAMMEL_HOME: place.home,
          PATH: `${place.path("bin")}${delimiter}${process.env["PATH"]}`,
        },
      },
    );
  expect(typed("trammel run -b fi")).toBe("fine\nfix-test-failure\nfirst.yaml\n");
  expect(typed("trammel run '\"$(touch hacked)\"' -b fin")).toBe("fine\n");
  expect(typed("trammel run -b a")).toBe("\n");
  expect(existsSync(place.path("hacked"))).toBe(false);
});
