import { join } from "node:path"
import { defineConfig } from "vitest/config"

const conditions = ["@latchkey/source", "node"]

// Runs the suite on an installed example. `npm run test:examples` installs it first.
export default defineConfig({
  cacheDir: join(import.meta.dirname, "..", "..", "node_modules", ".vite", "examples"),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    name: "examples",
    root: import.meta.dirname,
    include: ["*.suite.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    // Building an example takes minutes on a busy machine.
    hookTimeout: 300_000,
  },
})
