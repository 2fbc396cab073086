import { globSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

// If an app has a Babel configuration, Next compiles every file whose path contains `next/dist/` and one of these folders to
// CommonJS, because it mistakes the file for one of its own. Our files are in `@latchkey/next/dist`.
const pathOfNext = /^(shared\/lib|client|pages)/

it("has no file at a path that Next's Babel loader takes for a file of Next", () => {
  const files = globSync("**/*.ts", { cwd: join(import.meta.dirname, "..", "src") })
  expect(files.length).toBeGreaterThan(10)
  expect(files.map((file) => file.replaceAll("\\", "/")).filter((file) => pathOfNext.test(file))).toEqual([])
})
