import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { accessSync, constants, globSync } from "node:fs"
import { connect, createServer } from "node:net"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** Folders of servers that are usually not in `PATH`, the newest PostgreSQL first. */
const serverFolders = ["/usr/sbin", "/usr/local/sbin", ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed()]

/** Maximum time for a server to start, generous for a busy machine. */
const startTimeoutMs = 20_000

/** Returns the path of an installed program, or undefined. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean), ...serverFolders]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Missing or not executable.
  }
}

/**
 * Whether a program is installed, for `describe.skipIf(!hasProgram("redis-server"))`. Warns if it is missing.
 * @throws Error if it is missing and `CI` is set, so that CI skips no tests
 */
export function hasProgram(name: string): boolean {
  if (findProgram(name) !== undefined) return true
  const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "")
  if (isCi) throw new Error(`${name} is not installed. CI must run every test, so install it`)
  console.warn(`SKIPPED: ${name} is not installed. Its tests do not run`)
  return false
}

/** Systems give the ports above to connections and to servers that ask for any port. */
const ownPorts = { first: 15_000, end: 30_000 }
const maxPortTries = 100

/**
 * Returns an unused TCP port of 127.0.0.1. The system assigns it to nothing else, so it stays free until a program listens on it, and
 * while that restarts.
 */
export async function findFreePort(): Promise<number> {
  for (let n = 0; n < maxPortTries; n++) {
    const port = randomInt(ownPorts.first, ownPorts.end)
    if (await canListen(port)) return port
  }
  throw new Error(`None of ${maxPortTries} ports was free`)
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}

/** Options of {@link startProgram}. */
export interface ProgramOptions {
  /** Name of the program, as for {@link findProgram}. */
  readonly name: string
  readonly args: readonly string[]
  /** The port of 127.0.0.1 on which it listens. */
  readonly port: number
  /** Output that tells it is ready, for a program that listens earlier. */
  readonly readyText?: string | undefined
  /** The user who runs it. Default: the user of this process. */
  readonly user?: ServerUser | undefined
  /** The signal that ends it. Default: `SIGTERM`. */
  readonly endSignal?: NodeJS.Signals | undefined
}

/** A program started by this process. It ends with this process. */
export interface RunningProgram {
  /** Ends the program and waits for its exit. Can be called again. */
  stop(): Promise<void>
}

/**
 * Starts a server program and waits until it accepts connections.
 * @throws Error with the program's output if it exits early or takes longer than 20 seconds
 */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const { name, args, port, readyText = "", user, endSignal = "SIGTERM" } = options
  const path = findProgram(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], ...user })
  const end = () => child.kill("SIGKILL")
  process.once("exit", end)
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(String(chunk)))
  child.once("error", (error) => output.push(error.message))
  const running: RunningProgram = {
    async stop() {
      process.off("exit", end)
      await endProgram(child, endSignal)
    },
  }
  const deadlineMs = Date.now() + startTimeoutMs
  while (!output.join("").includes(readyText) || !(await isListening(port))) {
    if (hasEnded(child) || Date.now() > deadlineMs) {
      await running.stop()
      throw new Error(`${name} did not start: ${output.join("")}`)
    }
    await sleep(20)
  }
  return running
}

async function endProgram(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once("connect", () => settle(true))
    socket.once("error", () => settle(false))
  })
}

/** A system user, in the form that `spawn` accepts. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns the user for a server that refuses to run as root: the first of these that exists. Undefined if this process is
 * not root.
 * @throws Error if none of them exists
 */
export function findServerUser(names: readonly string[]): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = names.map(findUser).find((found) => found !== undefined)
  if (user === undefined) throw new Error(`The system has no user named ${names.join(" or ")}`)
  return user
}

function findUser(name: string): ServerUser | undefined {
  const idOf = (kind: string) => Number(execFileSync("id", [kind, name], { encoding: "utf8", stdio: "pipe" }))
  try {
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch {
    return undefined // No user with this name.
  }
}

/** A running server with an empty store. */
export interface StoreServer {
  /** The URL for clients, such as `redis://127.0.0.1:6379`. */
  readonly url: string
  /** Stops the server and deletes its data. Can be called again. */
  stop(): Promise<void>
}
