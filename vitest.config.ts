import { defineConfig } from "vitest/config";

/** Every suite by its name (`npm test -- --project unit`) and where its tests stand. */
const suites: Readonly<Record<string, string>> = {
  unit: "src/**/*.test.ts",
  fixtures: "test/{fixtures,support}/**/*.test.ts",
  golden: "test/golden/**/*.test.ts",
  properties: "test/properties/**/*.test.ts",
  runs: "test/runs/**/*.test.ts",
  crash: "test/crash/**/*.test.ts",
  chaos: "test/chaos/**/*.test.ts",
  e2e: "test/e2e/**/*.test.ts",
  docs: "test/docs/**/*.test.ts",
  agents: "test/agents/**/*.test.ts",
  sandboxes: "test/sandboxes/**/*.test.ts",
  repo: "test/repo/**/*.test.ts",
};

export default defineConfig({
  test: {
    globalSetup: "test/support/surroundings.ts",
    pool: "forks",
    maxWorkers: 2,
    // What hangs is ended; a machine at work on other things is not what a test is about.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    projects: Object.entries(suites).map(([name, pattern]) => ({
      extends: true as const,
      test: { name, include: [pattern], exclude: ["**/node_modules/**"] },
    })),
  },
});
