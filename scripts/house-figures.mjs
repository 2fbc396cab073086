// Measures how the sources are cut into files and functions, and fails when a limit is broken. Reads the build, so
// `npm run check` runs it after one. `--details` also prints the places behind the figures.
import { measureDeclarations } from "./house/declarations.mjs"
import { measureProcess } from "./house/requests.mjs"
import { measureCore, measureOthers } from "./house/sources.mjs"

/** The goal is what the figure should become, where the sources are not there yet: docs/decisions/house.md has the reasons. */
const atMost = (limit, goal = limit) => ({ limit, goal, isHeld: (value) => value <= limit, sign: "<=" })
const atLeast = (limit) => ({ limit, goal: limit, isHeld: (value) => value >= limit, sign: ">=" })

/** Of packages/core/src without providers, translations and generated lists, unless it says otherwise. */
const limits = {
  files: atMost(364, 280),
  "median code lines of a file": atLeast(70),
  "files under 25 lines, %": atMost(8),
  "files with one importer, %": atMost(25, 18),
  "import circles, types included": atMost(0),
  any: atMost(0),
  "lines of the longest function": atMost(60),
  "lines of a function, 90th percentile": atMost(30),
  "modules loaded at import": atMost(50),
  "options without hover text": atMost(0),
  "exported symbols without a doc comment, all packages": atMost(0),
  "other packages with too many files under 30 lines": atMost(0),
  "GET session: files entered": atMost(19),
  "GET session: file switches": atMost(37),
  "POST callback/credentials: files entered": atMost(39, 30),
  "POST callback/credentials: file switches": atMost(98, 73),
  "OpenID Connect callback: files entered": atMost(58, 45),
  "OpenID Connect callback: file switches": atMost(195, 155),
}

const measured = [measureCore(), measureOthers(), measureDeclarations(), ...(await measureProcess())]
const figures = Object.assign({}, ...measured.map((part) => part.figures))
const toText = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1))

for (const [name, { limit, goal, isHeld, sign }] of Object.entries(limits)) {
  const value = figures[name]
  const hope = goal === limit ? "" : `, goal ${goal}`
  console.log(`${isHeld(value) ? "ok    " : "broken"}  ${name}: ${toText(value)} (${sign} ${limit}${hope})`)
  if (!isHeld(value)) process.exitCode = 1
}
if (process.argv.includes("--details")) {
  for (const [name, places] of measured.flatMap(({ details }) => Object.entries(details)))
    console.log([`\n${name}: ${places.length}`, ...places].join("\n  "))
}
