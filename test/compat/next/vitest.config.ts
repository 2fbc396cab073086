import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import compat from "../vitest.config.ts"

const { test, ...others } = compat

export default defineConfig({
  ...others,
  test: {
    ...test,
    name: "compat-next",
    root: import.meta.dirname,
    globalSetup: [fileURLToPath(new URL("packages.ts", import.meta.url))],
    include: ["*.test.ts"],
    // A build of Next takes all processors.
    fileParallelism: false,
    // Two builds in a hook take ten minutes beside other work, and one that is cut off leaves its server behind.
    testTimeout: 600_000,
    hookTimeout: 1_800_000,
  },
})
