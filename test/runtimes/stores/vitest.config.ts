import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const conditions = ["@latchkey/source", "node"]

export default defineConfig({
  // The adapter recognizes a dialect by the classes of its own copy of Kysely.
  resolve: { conditions, dedupe: ["kysely"] },
  ssr: { resolve: { conditions } },
  test: {
    name: "cloudflare",
    root: import.meta.dirname,
    // Not the one of the workspace: a run deletes what a run with another lock file wrote, while that one reads it.
    fsModuleCachePath: fileURLToPath(new URL("../node_modules/.vitest-cache", import.meta.url)),
    include: ["*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
  },
})
