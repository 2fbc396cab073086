// Checks the sources against .dependency-cruiser.mjs. Calls the library, because the command succeeds when it finds no module.
import { globSync } from "node:fs"
import { cruise } from "dependency-cruiser"
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config"
import config, { hasRoom } from "../../.dependency-cruiser.mjs"

const { forbidden, options } = config
// The example apps install our packages as any app does, and have their own dependencies.
const folders = ["packages/*/src", "packages/*/test", "apps/*/src", "apps/*/test", "test"].flatMap((glob) =>
  globSync(glob, { exclude: ["apps/example-*/**"] }),
)
const { output } = await cruise(folders, { ...options, ruleSet: { forbidden }, validate: true }, undefined, {
  tsConfig: extractTsConfig(options.tsConfig.fileName),
})

const problems = output.summary.violations.map(({ rule, from, to, cycle }) => {
  const path = cycle?.map((step) => step.name) ?? [to]
  return `${rule.name}: ${[from, ...path].join(" -> ")}`
})
const sources = output.modules
  .map((module) => module.source)
  .filter((source) => /^(packages|apps)\/.*\.tsx?$/.test(source))

// No rule applies to a folder that the tables do not name.
for (const source of sources) {
  if (source.startsWith("packages/core/src/") && !hasRoom(source)) problems.push(`unknown-folder: ${source}`)
}

if (sources.length === 0) problems.push("no TypeScript module found")
for (const problem of new Set(problems)) console.error(problem)
console.log(`layers: ${sources.length} modules, ${problems.length} problems`)
process.exit(problems.length > 0 ? 1 : 0)
