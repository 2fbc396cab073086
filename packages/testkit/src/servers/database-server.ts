import { execFile } from "node:child_process"
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findFreePort, findProgram, type RunningProgram, startProgram } from "./program.js"
import type { ServerUser } from "./server-user.js"
import type { StoreServer } from "./store-server.js"

/** A server that keeps what it holds while it is halted. */
export interface DatabaseServer extends StoreServer {
  /**
   * Ends the server as an operator would, so that its clients lose their connections. It keeps its data and its
   * address.
   */
  halt(): Promise<void>
  /** Starts it again after `halt`. */
  resume(): Promise<void>
}

/** How a kind of database server is made and run. */
export interface DatabaseProgram {
  readonly name: string
  /** Whose rights it takes. Undefined: those of this process. */
  readonly user: ServerUser | undefined
  readonly endSignal: NodeJS.Signals
  readonly readyText: string
  /** Files that the server needs beside its data, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** The program that makes the data folder, and its arguments. */
  create(folder: string): readonly [string, readonly string[]]
  args(folder: string, port: number): readonly string[]
  url(port: number): string
}

const run = promisify(execFile)

/** @throws Error when a program is not installed or the server does not start */
export async function startDatabase(program: DatabaseProgram): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${program.name}-`))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await createData(program, folder)
    const port = await findFreePort()
    const start = () => startProgram({ ...program, args: program.args(folder, port), port })
    return halting(await start(), { url: program.url(port), start, remove })
  } catch (error) {
    await remove()
    throw error
  }
}

async function createData({ create, files = {}, user }: DatabaseProgram, folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  if (user) await chown(folder, user.uid, user.gid)
  const [name, args] = create(folder)
  const path = findProgram(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  await run(path, args, { cwd: folder, ...user })
}

interface Startable {
  readonly url: string
  readonly start: () => Promise<RunningProgram>
  readonly remove: () => Promise<void>
}

function halting(first: RunningProgram, { url, start, remove }: Startable): DatabaseServer {
  let running = first
  return {
    url,
    halt: () => running.stop(),
    async resume() {
      running = await start()
    },
    async stop() {
      await running.stop()
      await remove()
    },
  }
}
