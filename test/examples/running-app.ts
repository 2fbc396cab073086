import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import type { InstalledExample } from "./example.js"

/** A running example. */
export interface RunningApp {
  /** Its output so far. */
  output(): string
  /** Terminates it, and kills it after a timeout. */
  stop(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

const startTimeoutMs = 30_000
const stopTimeoutMs = 3000
const pollMs = 50

/** Variables of vitest, which make build tools assume a test, and variables that configure the app. */
const notInherited = /^(?:VITEST.*|NODE_ENV|NODE_OPTIONS|TEST|DEV|PROD|MODE|SSR|BASE_URL|(?:NEXT)?AUTH_.*|npm_.*)$/

const quiet = {
  ASTRO_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  NO_COLOR: "1",
}

/** Runs an npm script of the example. @returns its output @throws Error with its output if it fails */
export async function runScript({ folder }: InstalledExample, script: string, env: Env): Promise<string> {
  const child = spawnScript(folder, script, env)
  const output = record(child)
  const [status] = await once(child, "close")
  if (status !== 0) throw new Error(`npm run ${script} failed (${status}):\n${output()}`)
  return output()
}

/** Runs `npm start` and waits until the app responds. @throws Error with its output if it does not */
export async function startApp({ folder }: InstalledExample, origin: string, env: Env): Promise<RunningApp> {
  const child = spawnScript(folder, "start", env)
  const output = record(child)
  const app: RunningApp = { output, stop: () => stop(child) }
  const deadline = Date.now() + startTimeoutMs
  while (!(await isAnswering(origin))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || Date.now() > deadline) {
      await app.stop()
      throw new Error(`npm start ${hasEnded ? "exited" : "does not respond"}:\n${output()}`)
    }
    await wait(pollMs)
  }
  return app
}

/** In its own process group, so that npm and its child processes end together. */
function spawnScript(cwd: string, script: string, env: Env): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !notInherited.test(name))
  return spawn("npm", ["run", "--silent", script], {
    cwd,
    detached: true,
    env: { ...Object.fromEntries(inherited), ...quiet, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
}

function record(child: ChildProcess): () => string {
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => parts.push(String(part)))
  return () => parts.join("")
}

async function isAnswering(origin: string): Promise<boolean> {
  try {
    await fetch(origin, { redirect: "manual" })
    return true
  } catch {
    return false // Not listening yet.
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const { pid, exitCode, signalCode } = child
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  const ended = once(child, "close")
  process.kill(-pid, "SIGTERM")
  await Promise.race([ended, wait(stopTimeoutMs)])
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The process group has exited.
  }
  await ended
}
