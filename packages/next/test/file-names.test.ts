import { globSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

// In an app with a Babel configuration, Next takes files below such paths for its own, whatever stands before `next`, and
// turns them into CommonJS. The packages' folder is `@latchkey/next/dist`.
const pathOfNext = /^(shared\/lib|client|pages)/

it("has no file at a path that Next's Babel loader takes for a file of Next", () => {
  const files = globSync("**/*.ts", { cwd: join(import.meta.dirname, "..", "src") })
  expect(files.length).toBeGreaterThan(10)
  expect(files.map((file) => file.replaceAll("\\", "/")).filter((file) => pathOfNext.test(file))).toEqual([])
})
