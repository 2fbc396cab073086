import { globSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const made = ["packages/*/dist", "apps/*/dist", "packages/core/src/pages/generated", "packages/*/*.tgz", "coverage"]
for (const path of globSync(made, { cwd: root })) {
  rmSync(join(root, path), { recursive: true, force: true })
}
