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
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
})
