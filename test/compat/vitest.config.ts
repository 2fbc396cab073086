import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const conditions = ["@latchkey/source", "node"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // For the built-in pages; browser scripts are bundled separately.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    name: "compat",
    root: import.meta.dirname,
    // By default all configurations of the repository share one, and a run deletes what a run with another lock file wrote,
    // while that one reads it.
    fsModuleCachePath: fileURLToPath(new URL("node_modules/.vitest-cache", import.meta.url)),
    globalSetup: [fileURLToPath(new URL("prisma/generate.ts", import.meta.url))],
    include: ["test/**/*.test.{ts,tsx}"],
    setupFiles: ["patience", "cheap-hashes", "standing-assertions"].map((name) =>
      fileURLToPath(new URL(`../setup/${name}.ts`, import.meta.url)),
    ),
    // Servers, several processes and a browser, on busy machines.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
  },
})
