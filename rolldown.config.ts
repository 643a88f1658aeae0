import { defineConfig } from "rolldown";
import { notices } from "./scripts/notices.ts";

/** Loaded on first use only and large; installed beside the bundle rather than copied into it. */
const installed = [/^ai$/, /^@ai-sdk\//];

export default defineConfig({
  input: { main: "src/main.ts", index: "src/index.ts", plugin: "src/plugin.ts" },
  platform: "node",
  external: installed,
  plugins: [notices()],
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
