import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import type { Example } from "./example.js"

/** An example that answers. */
export interface RunningApp {
  /** What it has written so far, for failures. */
  output(): string
  /** Asks it to end, and ends it after a while. */
  stop(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

const startTimeoutMs = 30_000
const stopTimeoutMs = 3000
const pollMs = 50

/** What vitest says of itself, by which build tools would take this for a test, and what would configure the app. */
const notInherited = /^(?:VITEST.*|NODE_ENV|NODE_OPTIONS|TEST|DEV|PROD|MODE|SSR|BASE_URL|(?:NEXT)?AUTH_.*|npm_.*)$/

const quiet = { NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }

/** A port of 127.0.0.1 that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (address === null || typeof address === "string") throw new Error("A TCP server has no port")
  return address.port
}

/** Runs one of the example's npm scripts to its end. @throws with what it wrote, when it fails */
export async function runScript({ folder }: Example, script: string, env: Env): Promise<void> {
  const child = spawnScript(folder, script, env)
  const output = record(child)
  const [status] = await once(child, "close")
  if (status !== 0) throw new Error(`npm run ${script} failed (${status}):\n${output()}`)
}

/** Runs `npm start` and waits until the app answers. @throws with what it wrote, when it does not */
export async function startApp({ folder }: Example, origin: string, env: Env): Promise<RunningApp> {
  const child = spawnScript(folder, "start", env)
  const output = record(child)
  const app: RunningApp = { output, stop: () => stop(child) }
  const deadline = Date.now() + startTimeoutMs
  while (!(await isAnswering(origin))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || Date.now() > deadline) {
      await app.stop()
      throw new Error(`npm start ${hasEnded ? "ended" : "does not answer"}:\n${output()}`)
    }
    await wait(pollMs)
  }
  return app
}

/** In a process group of its own, so that npm and what it starts end together. */
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
    return false // Nobody listens yet.
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
    // The whole group has ended by itself.
  }
  await ended
}
