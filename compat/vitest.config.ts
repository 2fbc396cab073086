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
    globalSetup: [fileURLToPath(new URL("prisma/generate.ts", import.meta.url))],
    include: ["test/**/*.test.{ts,tsx}"],
    setupFiles: [fileURLToPath(new URL("../test/standing-assertions.ts", import.meta.url))],
    // Servers, several processes and a browser, on busy machines.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
