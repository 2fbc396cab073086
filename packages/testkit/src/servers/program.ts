import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, globSync } from "node:fs"
import { connect, createServer } from "node:net"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** Where systems keep servers that are in nobody's `PATH`. The newest PostgreSQL comes first. */
const serverFolders = ["/usr/sbin", "/usr/local/sbin", ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed()]

/** Milliseconds that a server may take to start, on a machine that does other things as well. */
const startDeadlineMs = 20_000

/** The path of an installed program; undefined when there is none of the name. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean), ...serverFolders]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not for us: the same to a test.
  }
}

/**
 * Whether tests that need a program can run: `describe.skipIf(!hasProgram("redis-server"))`. Says so where it is
 * missing.
 * @throws Error where it is missing and `CI` is set: there, no test is left out
 */
export function hasProgram(name: string): boolean {
  if (findProgram(name) !== undefined) return true
  const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "")
  if (isCi) throw new Error(`${name} is not installed, and in CI every test runs`)
  console.warn(`SKIPPED: ${name} is not installed, so that nothing is tested against it`)
  return false
}

/** A TCP port of 127.0.0.1 on which nobody listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address !== "object" || address === null) throw new Error("The system gave no port")
  return address.port
}

export interface ProgramOptions {
  /** Its name, as `findProgram` knows it. */
  readonly name: string
  readonly args: readonly string[]
  /** Where it listens on 127.0.0.1, once it does. */
  readonly port: number
  /** What it says when it takes requests, where it listens before that. */
  readonly readyText?: string
  /** Whose rights it has. Default: those of this process. */
  readonly user?: ServerUser | undefined
  /** By which it is told to end. Default: `SIGTERM`. */
  readonly endSignal?: NodeJS.Signals
}

/** A program that this process started. It ends with this process. */
export interface RunningProgram {
  /** Ends it, and waits until it has ended. Doing it twice does no harm. */
  stop(): Promise<void>
}

/**
 * Starts a server and waits until it takes connections.
 * @throws Error with what the program said, when it ends before that or takes too long
 */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const { name, args, port, readyText = "", user, endSignal = "SIGTERM" } = options
  const path = findProgram(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], ...user })
  const end = () => child.kill("SIGKILL")
  process.once("exit", end)
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(String(chunk)))
  child.once("error", (error) => said.push(error.message))
  const running: RunningProgram = {
    async stop() {
      process.off("exit", end)
      await endProgram(child, endSignal)
    },
  }
  const lastAtMs = Date.now() + startDeadlineMs
  while (!said.join("").includes(readyText) || !(await isListening(port))) {
    if (hasEnded(child) || Date.now() > lastAtMs) {
      await running.stop()
      throw new Error(`${name} did not start: ${said.join("")}`)
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

/** A user of the system by its numbers, as `spawn` takes them. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Whose rights a server takes that refuses to run as root: those of the first of the named users that the system has.
 * Undefined where this process is not root, and so needs nobody else.
 * @throws Error when the system has none of them
 */
export function findServerUser(names: readonly string[]): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = names.map(findUser).find((found) => found !== undefined)
  if (user === undefined) throw new Error(`The system has no user ${names.join(" or ")}`)
  return user
}

function findUser(name: string): ServerUser | undefined {
  const idOf = (kind: string) => Number(execFileSync("id", [kind, name], { encoding: "utf8", stdio: "pipe" }))
  try {
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch {
    return undefined // No such user: the next name is asked for.
  }
}

/** A server with nothing in it. */
export interface StoreServer {
  /** How clients reach it, such as `redis://127.0.0.1:6379`. */
  readonly url: string
  /** Ends it with all that it holds. Doing it twice does no harm. */
  stop(): Promise<void>
}
