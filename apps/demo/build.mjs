// Bundles the demo and our packages from their sources into bundle/, which `npm start` runs. Takes a second, where
// compiling them takes half a minute.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

const demo = import.meta.dirname
const bundle = join(demo, "bundle")

const build = await rolldown({
  input: join(demo, "src", "main.ts"),
  cwd: demo,
  platform: "node",
  // Only our packages: the others are loaded from node_modules.
  external: /^(?!@latchkey\/)[^.#/]/,
  resolve: {
    conditionNames: ["@latchkey/source", "node"],
    extensionAlias: { ".js": [".ts", ".tsx"] },
  },
  tsconfig: true,
  checks: { ineffectiveDynamicImport: false },
})
rmSync(bundle, { recursive: true, force: true })
await build.write({ dir: bundle, format: "es", sourcemap: true })
await build.close()
