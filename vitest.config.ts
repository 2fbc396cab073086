import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"

const root = fileURLToPath(new URL(".", import.meta.url))

// Resolves imports of our own packages to their sources. Without `import`, `module` and `default`: with those, `require()`
// inside a dependency would get ESM files.
const conditions = ["@latchkey/source", "node"]

// Next.js is too large to install here: its tests use doubles, and the example app uses the real one.
const nextDouble = (name: string) => `${root}packages/next/test/doubles/${name}.ts`
const alias = {
  "next/headers.js": nextDouble("headers"),
  "next/navigation": nextDouble("navigation"),
  "next/server.js": nextDouble("server"),
}

const include = [
  "{packages/*,apps/demo}/{src,test}/**/*.test.{ts,tsx}",
  "bench/{sizes,speed}/**/*.test.ts",
  "test/*.test.ts",
]
const files = globSync(include, { cwd: root, exclude: ["**/node_modules/**"] })
const select = (folder: string, content: RegExp) =>
  files.filter((file) => file.startsWith(folder) && content.test(readFileSync(`${root}${file}`, "utf8")))

// New files need no entry here: what a file imports decides how it runs. scripts/test.mjs says what each command runs.
/** Build, pack and compile what a host installs. */
const packages = select("test/", /packed-packages|typescript-native/)
/** Run the adapters, and the demo, on database servers. */
const stores = select("", /@latchkey\/testkit\/servers/).filter((file) =>
  /^(?:packages\/[\w-]+-adapter|apps\/demo)\//.test(file),
)
/**
 * Change the process for the files that would follow, or need it unchanged: Vue keeps the `document` that it finds at import.
 * They get a process of their own.
 */
const isolated = select(
  "",
  /@latchkey\/testkit\/servers|node:child_process|process\.env\[|vi\.resetModules|"vue"/,
).filter((file) => !packages.includes(file) && !stores.includes(file))

const project = (name: string, own: readonly string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [...own] },
})

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    setupFiles: ["fixed-seed", "patience", "cheap-hashes", "standing-assertions"].map(
      (name) => `${root}test/setup/${name}.ts`,
    ),
    // The default leaves one processor unused, which is half of a small machine.
    maxWorkers: "100%",
    // They end what hangs. A slow machine must not fail a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        // Files share a process and the modules in it, which takes less than half of the time.
        test: { name: "unit", include, exclude: [...packages, ...stores, ...isolated], isolate: false },
      },
      project("isolated", isolated),
      project("stores", stores),
      project("packages", packages),
    ],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.{ts,tsx}"],
      exclude: ["**/*.test.{ts,tsx}", "**/*.test-d.ts"],
      reporter: ["text", "json-summary"],
    },
  },
})
