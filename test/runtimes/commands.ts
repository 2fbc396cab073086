// The command line on a runtime that runs programs: the installed package `latchkey`, on an app that has mistakes.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { Step } from "./scenario.ts"

const root = import.meta.dirname
const main = join(root, "node_modules", "latchkey", "dist", "main.js")

interface Outcome {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

type Run = (args: readonly string[], given?: Given) => Promise<Outcome>

function createRun(program: string, folder: string): Run {
  return async (args, { env = {}, input = "" } = {}) => {
    const { PATH = "" } = process.env
    const child = spawn(program, [main, ...args], { cwd: folder, env: { PATH, ...env } })
    child.stdin.end(input)
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await closed, output, errors }
  }
}

const pattern = /^[\w+/]{44}\n$/

async function makeSecrets(run: Run, folder: string): Promise<void> {
  const { code, output } = await run(["secret"])
  assert.deepEqual([code, pattern.test(output)], [0, true], output)
  assert.equal((await run(["secret", "--write", ".env.made"])).code, 0)
  const written = readFileSync(join(folder, ".env.made"), "utf8")
  assert.match(written, /^AUTH_SECRET="?[\w+/]{44}"?\n$/m)
  assert.equal(statSync(join(folder, ".env.made")).mode & 0o777, 0o600)
  await run(["secret", "--write", ".env.made"])
  assert.equal(readFileSync(join(folder, ".env.made"), "utf8"), written, "the secret was replaced")
}

async function explainFailure(run: Run): Promise<void> {
  const record = { requestId: "0af7651916cd43dd", outcome: "failure", error: "InvalidCheck", reference: "VHMJ-TD" }
  const reason = { reason: "flow-other-host", facts: { ageSeconds: 4, otherFlows: 3, host: "www.app.example" } }
  const log = `starting\n${JSON.stringify({ time: "2026-11-28T08:15:06.123Z", ...record, ...reason })}\n`
  const { code, output } = await run(["explain", "VHMJ-TD"], { input: log })
  assert.equal(code, 0, output)
  assert.match(output, /It began at another host of this service/)
  assert.equal((await run(["explain", "AAAA-AA"], { input: log })).code, 1)
}

const config = "export const config: AuthConfig = { providers: [] }\n"
const typed = `import type { AuthConfig } from "@latchkey/core"\n`

/** What a configuration must not do. */
const misdeeds = {
  "ends the process": "process.exit(0)\n",
  "starts a server": `import { createServer } from "node:http"\ntry { createServer().listen(0) } catch {}\n`,
  "starts another program": `import { execSync } from "node:child_process"\ntry { execSync("true") } catch {}\n`,
}

async function readConfiguration(run: Run, folder: string): Promise<void> {
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  const look = async () => {
    const { code, output, errors } = await run(["doctor", "--config", "auth.ts", "--json"])
    assert.equal(errors, "")
    return { code, ...JSON.parse(output) }
  }
  write("auth.ts", typed + config)
  write(".gitignore", ".env*\n")
  write(".env", "# of the app\nAUTH_SECRET=short\nAUTH_URL=https://app.example\n")
  // Not that of production, though Bun reads it before the command starts.
  write(".env.development", "AUTH_URL=http://localhost:3000\n")
  const weak = await look()
  assert.deepEqual([weak.code, weak.findings.map((each: { code: string }) => each.code)], [1, ["secret-weak"]])
  const [{ file, line }] = weak.findings[0].fixes
  assert.deepEqual([file, line], [".env", 2])
  write(".env", "AUTH_SECRET=3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1\nAUTH_URL=https://app.example\n")
  const { code, findings, unchecked } = await look()
  assert.deepEqual([code, findings, unchecked], [0, [], []])
  for (const [sentence, misdeed] of Object.entries(misdeeds)) {
    write("auth.ts", misdeed + typed + config)
    const refused = await look()
    assert.equal(refused.code, 2, sentence)
    assert.match(refused.unchecked[0].reason, new RegExp(sentence))
  }
}

/** An app in one file, which listens as its runtime does. */
const listening = `import { createServer } from "node:http"
const runtime = globalThis.Bun ?? globalThis.Deno
const server = runtime ? runtime.serve({ port: 0, fetch: () => new Response() }) : createServer().listen(0)
console.log("open:", typeof server.port === "number" || server.listening === true)
const users = new Map()
const adapter = {
  createUser: (user) => users.set(user.id, user).get(user.id),
  getUser: (id) => users.get(id) ?? null,
  linkAccount: (account) => account,
}
export const config = { adapter, secret: "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1", providers: [], session: { strategy: "jwt" } }
`

async function importUsers(run: Run, folder: string): Promise<void> {
  writeFileSync(join(folder, "auth.mjs"), listening)
  writeFileSync(join(folder, "users.jsonl"), '{"id":"ada","email":"ada@example.com"}\n')
  const { code, output, errors } = await run(["import", "json", "users.jsonl", "--config", "auth.mjs", "--yes"])
  assert.equal(code, 0, output + errors)
  assert.match(output, /open: false[\s\S]*1 user imported/)
}

/** The app of the scenario believes every Host header. */
async function askSite(run: Run, origin: string): Promise<void> {
  const { code, output, errors } = await run(["doctor", "--url", `${origin}/auth`, "--json"])
  assert.equal(errors, "")
  assert.deepEqual([code, JSON.parse(output).findings[0]?.code], [1, "forged-host"])
  const away = await run(["doctor", "--url", "http://127.0.0.1:9/auth"])
  assert.deepEqual([away.code, /cannot be reached/.test(away.output)], [2, true], away.output)
}

async function showUsage(run: Run): Promise<void> {
  const { code, output } = await run(["--help"])
  assert.deepEqual([code, output.split("\n")[0]], [0, "Usage: latchkey <command>"])
  assert.equal((await run(["nonsense"])).code, 2)
}

/** The steps of the command line, for a runtime that runs programs. */
export function commandSteps(program: string): readonly Step[] {
  const inFolder = (name: string, step: (run: Run, folder: string, origin: string) => Promise<void>): Step => ({
    name,
    // A process for each command.
    patienceMs: 120_000,
    async run({ origin }) {
      // Here, so that the app finds the packages.
      const folder = mkdtempSync(join(root, ".command-"))
      try {
        writeFileSync(join(folder, "package.json"), "{}")
        await step(createRun(program, folder), folder, origin)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  })
  return [
    inFolder("`latchkey --help`", showUsage),
    inFolder("`latchkey secret`", makeSecrets),
    inFolder("`latchkey explain`", explainFailure),
    inFolder("`latchkey doctor --config`", readConfiguration),
    inFolder("`latchkey import`, which opens no port", importUsers),
    inFolder("`latchkey doctor --url`", (run, _, origin) => askSite(run, origin)),
  ]
}
