import { defineConfig } from "rolldown";
import { notices } from "./scripts/notices.ts";

const shared = {
  platform: "node" as const,
  /** Loaded on first use only and large; installed beside the bundle rather than copied into it. */
  external: [/^ai$/, /^@ai-sdk\//],
  plugins: [notices()],
};

const output = {
  cleanDir: true,
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

export default defineConfig([
  {
    // CommonJS: Node resolves, reads and starts some fifty chunks a tenth faster than as ES modules.
    ...shared,
    input: { main: "src/main.ts" },
    output: {
      ...output,
      dir: "dist/cli",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
    },
  },
  {
    ...shared,
    input: { index: "src/index.ts", plugin: "src/plugin.ts" },
    output: {
      ...output,
      dir: "dist/lib",
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
    },
  },
]);
