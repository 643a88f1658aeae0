// usage: node scripts/record-demo.ts [FOLDER] — records the agent's turn that
// `trammel demo` replays, from a scripted model.
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "../test/fixtures/model-server/script.ts";
import { serveModel } from "../test/fixtures/model-server/server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What a model does with the demo's failing test. The tools it calls are real and run while it is recorded. */
const script: Script = [
  {
    say: "One test fails: 1.10.0 counts as older than 1.9.3. Let me look at how releases are compared.",
    call: [{ tool: "read", input: { path: "versions.js" } }],
  },
  {
    say: 'The comparison is of strings, so "1.1…" comes before "1.9…". Each part has to be compared as a number.',
    call: [
      {
        tool: "edit",
        input: {
          path: "versions.js",
          old_text: "  if (a === b) return 0;\n  return a < b ? -1 : 1;\n",
          new_text:
            '  const [left, right] = [a, b].map((release) => release.split(".").map(Number));\n' +
            "  const part = left.findIndex((number, index) => number !== right[index]);\n" +
            "  return part < 0 ? 0 : Math.sign(left[part] - right[part]);\n",
        },
      },
    ],
  },
  { say: "Now the tests.", call: [{ tool: "run", input: { command: "npm test --silent" } }] },
  {
    say: "compare() ordered releases as text, which put 1.10.0 before 1.9.3. It now compares major, minor and patch as numbers; all tests pass.",
  },
];

/** Records into `folder`; rejects where the run does not succeed. */
export async function recordDemo(folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "trammel-record-demo-"));
  const model = await serveModel(script);
  try {
    const project = join(scratch, "project");
    await cp(join(root, "examples", "demo-project"), project, { recursive: true });
    await cp(join(root, "examples", "fix-test-failure.yaml"), join(project, "fix-test-failure.yaml"));
    await writeFile(join(scratch, "trammel.yaml"), `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n`);
    await run(scratch, project, folder);
  } finally {
    await model.close();
    await rm(scratch, { recursive: true });
  }
}

function run(scratch: string, project: string, folder: string): Promise<void> {
  const main = join(root, "src", "main.ts");
  const document = join(project, "fix-test-failure.yaml");
  const args = [main, "run", "Make the tests pass", "-b", document, "--cwd", project, "--record", folder, "--plain"];
  const env = { ...process.env, TRAMMEL_HOME: join(scratch, "home"), XDG_CONFIG_HOME: join(scratch, "config") };
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done() : failed(new Error(`the run ended with ${code}:\n${said}`))));
  });
}

if (import.meta.main) await recordDemo(resolve(process.argv[2] ?? join(root, "examples", "demo-cassettes")));
