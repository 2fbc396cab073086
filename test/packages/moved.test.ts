import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

// What apps wrote for Auth.js, by its documentation and examples, with only the imports changed. The programs are our own.

const root = join(import.meta.dirname, "..", "..")
const home = join(root, "test", "packages", "moved")
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")
const run = (...args: string[]): string => spawnSync(process.execPath, [tsc, ...args], { encoding: "utf8" }).stdout

describe("code that was written for Auth.js", () => {
  it("compiles with the imports changed, under the compiler options of a new app", () => {
    expect(globSync("*.{ts,tsx}", { cwd: home }).sort()).toEqual([
      "browser.tsx",
      "express.ts",
      "next-v4.ts",
      "next.ts",
      "providers.ts",
      "qwik.ts",
      "solid-start.ts",
      "sveltekit.ts",
    ])
    // An app sees the declarations, so they are built first.
    expect(
      run(
        "-b",
        ...["core", "express", "next", "qwik", "react", "solid-start", "sveltekit"].map((name) =>
          join(root, "packages", name),
        ),
      ),
    ).toBe("")
    expect(run("-p", home, "--pretty", "false")).toBe("")
  })
})
