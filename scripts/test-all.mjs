// Runs the matrices that are too long for CI, one after the other, and keeps their last results in test/test-all.json:
// `npm run test:all`. Names after `--` run some of them. `--check` runs nothing: it warns about results that are missing,
// failed or old. It never fails, because an old result says nothing about the current change.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const file = join(root, "test", "test-all.json")

/** By name: the arguments of `npm run`. */
const stages = {
  browser: ["test:browser"],
  stores: ["test:stores"],
  properties: ["test:properties"],
  examples: ["test:examples"],
  runtimes: ["test:runtimes"],
  compat: ["test:compat"],
  "compat-next": ["test:compat", "--", "next"],
  "three-processes": ["test:compat", "--", "three-processes"],
  fuzz: ["fuzz", "--", "--minutes", "20"],
  simulate: ["simulate", "--", "--minutes", "20", "--workers", "2"],
  bench: ["bench"],
  compare: ["compare"],
}

const most = { days: 14, commits: 300 }

const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {})

function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

/** @returns what is wrong with the last result of a stage, or null */
function findWarning(name, result) {
  if (!result) return `${name} has never run`
  if (result.outcome !== "passed") return `${name} ${result.outcome} on ${result.date} at ${result.commit}`
  const days = Math.floor((Date.now() - Date.parse(result.date)) / 86_400_000)
  if (days > most.days) return `${name} last passed ${days} days ago`
  // Null in a clone without the history.
  const commits = git("rev-list", "--count", `${result.commit}..HEAD`)
  if (Number(commits) > most.commits) return `${name} last passed ${commits} commits ago`
  return null
}

function check() {
  const results = read()
  const warnings = Object.keys(stages).map((name) => findWarning(name, results[name]))
  for (const warning of warnings) if (warning) console.log(`warning: ${warning}. Run: npm run test:all`)
}

function run(name) {
  console.log(`=== ${name}`)
  const commit = git("rev-parse", "--short=10", "HEAD")
  const startedAt = Date.now()
  // Skipped tests count as failures, as in CI.
  const { status } = spawnSync("npm", ["run", ...stages[name]], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, CI: "true" },
    shell: process.platform === "win32",
  })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const outcome = status === 0 ? "passed" : "failed"
  const result = { outcome, date: new Date(startedAt).toISOString().slice(0, 10), commit, seconds }
  // After each stage, so that a run that is stopped keeps what it has.
  const results = { ...read(), [name]: result }
  const known = Object.keys(stages).filter((each) => results[each])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(known.map((each) => [each, results[each]])), null, 2)}\n`)
  return result
}

const given = process.argv.slice(2)
const unknown = given.filter((name) => name !== "--check" && !Object.hasOwn(stages, name))
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join(", ")}. Choose from ${Object.keys(stages).join(", ")}`)

if (given.includes("--check")) check()
else {
  const chosen = given.length > 0 ? given : Object.keys(stages)
  const results = chosen.map((name) => [name, run(name)])
  console.log("")
  for (const [name, { outcome, seconds }] of results) console.log(`${outcome}  ${name} (${seconds} s)`)
  process.exitCode = results.some(([, { outcome }]) => outcome === "failed") ? 1 : 0
}
