import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// Leads every import of our own packages to their sources. Without `import`, `module` and `default`: with them `require()`
// inside a dependency would be handed ESM files.
const conditions = ["@latchkey/source", "node"]

const include = ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"]
const project = (name: string, root = `packages/${name}`) => ({ extends: true as const, test: { name, root, include } })

// Next is too large for these tests: what they need of it stands in doubles, and the example app has the real one.
const nextDouble = (name: string) => fileURLToPath(new URL(`packages/next/test/doubles/${name}.ts`, import.meta.url))
const nextDoubles = {
  "next/headers.js": nextDouble("headers"),
  "next/navigation": nextDouble("navigation"),
  "next/server.js": nextDouble("server"),
}
const nextProject = { ...project("next"), resolve: { alias: nextDoubles } }

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    setupFiles: [fileURLToPath(new URL("test/standing-assertions.ts", import.meta.url))],
    projects: [
      project("core"),
      project("client"),
      project("node"),
      project("express"),
      project("adapter-kit"),
      project("kysely-adapter"),
      project("cli"),
      project("redis-adapter"),
      project("unstorage-adapter"),
      project("react"),
      project("sveltekit"),
      nextProject,
      project("solid-start"),
      project("qwik"),
      project("hono"),
      project("fastify"),
      project("drizzle-adapter"),
      project("prisma-adapter"),
      project("testkit"),
      project("demo", "apps/demo"),
      project("bench", "bench"),
      // Packs, unpacks and compiles: seconds, and more on a busy machine.
      { extends: true, test: { name: "house", root: ".", include: ["test/**/*.test.ts"], testTimeout: 60_000 } },
    ],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.{ts,tsx}"],
      exclude: ["**/*.test.{ts,tsx}", "**/*.test-d.ts"],
      reporter: ["text", "json-summary"],
    },
  },
})
