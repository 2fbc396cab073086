// `npm run test:runtimes [-- bun deno]`: the scenario on every runtime, with our packages as a registry delivers them.
// `--update` writes the results to docs/runtimes.json and the table to docs/runtimes.md.
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { commandSteps } from "./commands.ts"
import { testGuides } from "./guides.ts"
import { makeSessions } from "./moved.ts"
import { installPackages } from "./packages.ts"
import { type Outcome, type Result, toText, writeTables } from "./results.ts"
import { findFreePort, isImportRefused, type Runtime, runtimes } from "./runtimes.ts"
import { runPatiently, type Stage, type Step, steps } from "./scenario.ts"
import { measureSizes } from "./sizes.ts"
import { openStandIns } from "./stand-ins.ts"

/** What the app imports, the command line, and what those packages need. */
const packages = [
  "cli",
  "types",
  "core",
  "client",
  "node",
  "hono",
  "import",
  "unstorage-adapter",
  "adapter-kit",
  "kysely-adapter",
  "next",
]

const { values, positionals } = parseArgs({ allowPositionals: true, options: { update: { type: "boolean" } } })

/** @throws Error for a name that no runtime begins with, so that a slip does not test nothing */
function choose(): readonly Runtime[] {
  if (positionals.length === 0) return runtimes
  const groups = positionals.map((text) => {
    const fitting = runtimes.filter(({ name }) => name.toLowerCase().startsWith(text.toLowerCase()))
    if (fitting.length > 0) return fitting
    throw new Error(`There is no runtime ${text}. Use one of: ${runtimes.map(({ name }) => name).join("; ")}`)
  })
  return runtimes.filter((runtime) => groups.some((fitting) => fitting.includes(runtime)))
}

async function testRuntime(runtime: Runtime, home: string): Promise<Result> {
  const { name, conditions } = runtime
  const version = runtime.version()
  if (version === null) return { name, version: null, conditions, seconds: 0, outcomes: [] }
  const startedAt = Date.now()
  const outcomes = await runScenario(runtime, home).catch((error: unknown) => [{ step: "start", error: String(error) }])
  return { name, version, conditions, seconds: (Date.now() - startedAt) / 1000, outcomes }
}

async function runScenario(runtime: Runtime, home: string): Promise<readonly Outcome[]> {
  const standIns = await openStandIns()
  const secret = randomBytes(32).toString("hex")
  const port = await findFreePort()
  const { keys, sessions: made } = await makeSessions()
  const { providers, mailUrl } = standIns
  const settings = JSON.stringify({ secret, providers, mailUrl, moved: keys })
  try {
    const running = await runtime.start(settings, port, home)
    try {
      const own = runtime.program === undefined ? [] : commandSteps(runtime.program)
      const outcomes = await runSteps([...steps, ...own], {
        origin: `http://127.0.0.1:${port}`,
        secret,
        standIns,
        made,
      })
      if (process.env["DEBUG"]) console.log(running.log())
      return outcomes
    } finally {
      await running.close()
    }
  } finally {
    await standIns.close()
  }
}

async function runSteps(wanted: readonly Step[], stage: Stage): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const step of wanted) {
    const { name } = step
    try {
      await runPatiently(step, stage)
      outcomes.push({ step: name })
    } catch (error) {
      outcomes.push({ step: name, error: error instanceof Error ? error.message : String(error) })
    }
  }
  return outcomes
}

/** The stores of Cloudflare, with the promises of docs/adapters.md. */
function testStores(folder: string): boolean {
  const root = join(import.meta.dirname, "..", "..")
  const report = join(folder, "stores.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const config = join(import.meta.dirname, "stores", "vitest.config.ts")
  const run = (args: readonly string[]): boolean => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    if (status !== 0) console.log(stdout + stderr)
    return status === 0
  }
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const isRight =
    run([vitest, "run", "--config", config, ...reporters]) &&
    run([join(root, "scripts", "adapter-promises.mjs"), "--check", report])
  console.log(`${isRight ? "ok    " : "failed"}  the stores of Cloudflare: D1, KV, Durable Objects`)
  return isRight
}

const chosen = choose()
const home = mkdtempSync(join(tmpdir(), "latchkey-runtimes-"))
let isRight = true
try {
  installPackages(import.meta.dirname, packages)
  const results: Result[] = []
  for (const runtime of chosen) {
    const result = await testRuntime(runtime, home)
    console.log(toText(result))
    results.push(result)
    const isMissing = result.version === null && process.env["CI"] === "true"
    if (isMissing || result.outcomes.some(({ error }) => error !== undefined)) isRight = false
  }
  if (positionals.length === 0) {
    const refused = isImportRefused()
    console.log(`${refused.isRight ? "ok    " : "failed"}  ${refused.text}`)
    if (!refused.isRight) isRight = false
    if (!(await testGuides(home))) isRight = false
    if (!testStores(home)) isRight = false
    const sizes = await measureSizes()
    for (const { name, ours, theirs, limit } of sizes) {
      console.log(`${ours > limit ? "failed" : "ok    "}  ${name}: ${ours} bytes, at most ${limit}. Auth.js: ${theirs}`)
      if (ours > limit) isRight = false
    }
    if (!writeTables(results, sizes, { isUpdate: values.update === true })) isRight = false
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exitCode = isRight ? 0 : 1
