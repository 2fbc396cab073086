import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import type { ExpressTargetId } from "./host.ts"
import type { Listening, Load, LoadOrder, UsedCpu } from "./messages.ts"

/** A server in a process of its own. */
export interface RemoteServer {
  readonly id: ExpressTargetId
  readonly listening: Listening
  readCpu(): Promise<UsedCpu>
  close(): void
}

export async function startServer(id: ExpressTargetId): Promise<RemoteServer> {
  const child = start("server-process.ts", [id])
  // What the program sends is declared beside it.
  const listening = (await nextMessage(child)) as Listening
  return {
    id,
    listening,
    readCpu: () => ask(child, "cpu") as Promise<UsedCpu>,
    close: () => child.disconnect(),
  }
}

/** The process that asks, so that asking takes nothing from a server. */
export interface LoadGenerator {
  run(order: LoadOrder): Promise<Load>
  close(): void
}

export function startLoadGenerator(): LoadGenerator {
  const child = start("load-process.ts", [])
  return { run: (order) => ask(child, order) as Promise<Load>, close: () => child.disconnect() }
}

function start(program: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, NODE_ENV: "production" }
  return fork(join(import.meta.dirname, program), args, { env, execArgv: [] })
}

function ask(child: ChildProcess, message: string | LoadOrder): Promise<unknown> {
  child.send(message)
  return nextMessage(child)
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${child.spawnargs.at(-1)}: its process ended`))
    child.once("exit", onExit)
    child.once("message", (message) => {
      child.off("exit", onExit)
      resolve(message)
    })
  })
}
