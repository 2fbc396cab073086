import { defineConfig } from "vitest/config"

const conditions = ["@latchkey/source", "node"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "cloudflare",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
