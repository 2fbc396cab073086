// Builds the site and checks it: `npm run docs:check`. `-- links search` runs some of the checks on the site as it is, if there is one.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./pages.mjs"

const checks = ["links", "spelling", "pages", "search"]
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !checks.includes(name))
if (unknown.length > 0) throw new Error(`There is no check ${unknown.join(", ")}. Choose from ${checks.join(", ")}`)

const run = (script) =>
  spawnSync(process.execPath, [join(root, "docs", "scripts", script)], { stdio: "inherit" }).status

const steps = asked.length > 0 ? asked : checks
const isBuilt = existsSync(join(root, "docs", "dist", "404.html"))
if ((asked.length === 0 || !isBuilt) && run("build.mjs") !== 0) process.exit(1)
const failed = steps.filter((name) => run(`check-${name}.mjs`) !== 0)
console.log(failed.length > 0 ? `docs: failed: ${failed.join(", ")}` : `docs: all ${steps.length} checks passed`)
process.exit(failed.length > 0 ? 1 : 0)
