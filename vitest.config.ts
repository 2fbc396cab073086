import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

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

// A file's folder decides how it runs, and scripts/test.mjs which command runs it.
const tests = "**/*.test.{ts,tsx}"
const all = [
  `{packages/*,apps/demo}/{src,test}/${tests}`,
  `bench/{sizes,speed}/${tests}`,
  `test/{canaries,docs,processes,simulation,sources}/${tests}`,
]
/** Need servers that are installed on the machine, such as databases, Redis and proxies, or take as long as those, such as PGlite. */
const servers = [`{packages/*,apps/demo}/{src,test}/**/servers/${tests}`, `test/servers/${tests}`]
/** Drive the demo in Chromium, through every page, journey and language. */
const browser = [`apps/demo/test/browser/${tests}`]
/** Pack the packages, and use them as an app does. */
const packages = [`test/packages/${tests}`]
/** Change the process for the files that would follow, or need it unchanged. They get a process of their own. */
const isolated = [`{packages/*/test,test}/**/isolated/${tests}`]

interface Files {
  readonly name: string
  readonly include: string[]
  readonly exclude?: string[]
  readonly isolate?: boolean
}

const project = (test: Files) => ({ extends: true as const, test })

export const projects: readonly ReturnType<typeof project>[] = [
  // Files share a process and the modules in it, which takes less than half of the time.
  project({ name: "unit", include: all, exclude: [...servers, ...browser, ...isolated], isolate: false }),
  project({ name: "isolated", include: isolated }),
  project({ name: "servers", include: servers }),
  project({ name: "browser", include: browser }),
  project({ name: "packages", include: packages }),
]

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    setupFiles: ["fixed-seed", "patience", "cheap-hashes", "standing-assertions"].map(
      (name) => `${root}test/setup/${name}.ts`,
    ),
    // More than processors: files that wait for browsers and processes run beside files that compute.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // The other processors have tests of their own to run: collecting garbage on them as well costs more than it saves. Most
    // of what a test leaves is garbage at once, so the space for what is new is large.
    execArgv: ["--single-threaded-gc", "--max-semi-space-size=64"],
    // Generous on purpose: timeouts should only catch hangs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [...projects],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.{ts,tsx}"],
      exclude: ["**/*.test.{ts,tsx}", "**/*.test-d.ts"],
      reporter: ["text", "json-summary"],
    },
  },
})
