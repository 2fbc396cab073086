// The programs of the scenarios over HTTP: servers, and the load on them, each in a process of its own.
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import type { Load, LoadOrder, LoadRequest } from "./load.ts"
import type { UsedCpu } from "./report-cpu.ts"

/** How many keep-alive connections the load has. */
export const connections = 32

/** Sent before anything is timed. V8 compiles the last functions of a server in the first seconds of full load. */
const warmUp = { requests: 40_000, milliseconds: 4000 } as const

export function startProgram(path: string, ...args: readonly string[]): ChildProcess {
  return fork(path, args, { env: { ...process.env, NODE_ENV: "production" }, execArgv: [] })
}

/** Starts the program that sends the requests. */
export function startLoad(): ChildProcess {
  return startProgram(join(import.meta.dirname, "load.ts"))
}

/** A server and the request that it gets. */
export interface LoadedServer {
  readonly child: ChildProcess
  readonly port: number
  readonly request: LoadRequest
}

interface MeasuredLoad extends Load {
  /** Of the server process, for each request. */
  readonly cpuUs: number
}

/** Sends a server the same request until it is compiled. */
export async function warmUpServer(load: ChildProcess, { port, request }: LoadedServer): Promise<void> {
  await ask(load, { port, request, connections, ...warmUp })
}

/** Sends a server the same request for some time. */
export async function measureLoad(
  load: ChildProcess,
  { child, port, request }: LoadedServer,
  milliseconds: number,
): Promise<MeasuredLoad> {
  // Each program answers as it declares.
  const before = (await ask(child, "cpu")) as UsedCpu
  const done = (await ask(load, { port, request, connections, milliseconds })) as Load
  const after = (await ask(child, "cpu")) as UsedCpu
  return { ...done, cpuUs: (after.cpuUs - before.cpuUs) / done.requests }
}

function ask(child: ChildProcess, message: string | LoadOrder): Promise<unknown> {
  child.send(message)
  return nextMessage(child)
}

export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${child.spawnargs.slice(-2).join(" ")}: the process exited`))
    child.once("exit", onExit)
    child.once("message", (message) => {
      child.off("exit", onExit)
      resolve(message)
    })
  })
}
