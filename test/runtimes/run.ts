// `npm run test:runtimes [-- bun deno]`: the scenario on every runtime, with our packages as a registry delivers them.
// `--update` writes the results to docs/runtimes.json and the table to docs/runtimes.md.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { installPackages } from "./packages.ts"
import { type Outcome, type Result, toText, writeTable } from "./results.ts"
import { findFreePort, isImportRefused, type Runtime, runtimes } from "./runtimes.ts"
import { type Stage, steps, withPatience } from "./scenario.ts"
import { openStandIns } from "./stand-ins.ts"

const { values, positionals } = parseArgs({ allowPositionals: true, options: { update: { type: "boolean" } } })

function choose(): readonly Runtime[] {
  const chosen = positionals.map((name) => name.toLowerCase())
  return runtimes.filter(({ name }) => chosen.length === 0 || chosen.some((one) => name.toLowerCase().startsWith(one)))
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
  const settings = JSON.stringify({ secret, providers: standIns.providers, mailUrl: standIns.mailUrl })
  try {
    const running = await runtime.start(settings, port, home)
    try {
      const outcomes = await runSteps({ origin: `http://127.0.0.1:${port}`, secret, standIns })
      if (process.env["DEBUG"]) console.log(running.log())
      return outcomes
    } finally {
      await running.close()
    }
  } finally {
    await standIns.close()
  }
}

async function runSteps(stage: Stage): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, run } of steps) {
    try {
      await withPatience(run(stage))
      outcomes.push({ step: name })
    } catch (error) {
      outcomes.push({ step: name, error: error instanceof Error ? error.message : String(error) })
    }
  }
  return outcomes
}

const home = mkdtempSync(join(tmpdir(), "latchkey-runtimes-"))
let isRight = true
try {
  installPackages()
  const results: Result[] = []
  for (const runtime of choose()) {
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
    if (!writeTable(results, { isUpdate: values.update === true })) isRight = false
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exitCode = isRight ? 0 : 1
