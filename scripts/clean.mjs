import { globSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
for (const path of globSync(["packages/*/dist", "apps/*/dist", "packages/*/*.tgz", "coverage"], { cwd: root })) {
  rmSync(join(root, path), { recursive: true, force: true })
}
