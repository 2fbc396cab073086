import { globSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const generated = [
  "packages/*/dist",
  "apps/*/dist",
  "apps/demo/bundle",
  "packages/core/src/pages/generated",
  "packages/*/*.tgz",
  "coverage",
]
for (const path of globSync(generated, { cwd: root })) {
  rmSync(join(root, path), { recursive: true, force: true })
}
