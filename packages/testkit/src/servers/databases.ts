import { execFile } from "node:child_process"
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import {
  findFreePort,
  findProgram,
  findServerUser,
  type RunningProgram,
  type ServerUser,
  type StoreServer,
  startProgram,
} from "./program.js"

/**
 * Starts a MariaDB server with an empty database `app` on a free port of 127.0.0.1.
 * @param settings Server settings, such as `{ "default-time-zone": "+05:30" }`.
 * @throws Error if `mariadbd` or `mariadb-install-db` is not installed, or the server does not start
 */
export async function startMariadb(settings: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  const user = findServerUser(["mysql", "nobody"])
  return await startDatabase({
    name: "mariadbd",
    user,
    endSignal: "SIGTERM",
    readyText: "ready for connections",
    files: { "init.sql": "create database if not exists app;\n" },
    create: (folder) => [
      "mariadb-install-db",
      [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        // A server that starts removes the temporary tables of the folder, whoever made them.
        `--tmpdir=${folder}`,
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
      ],
    ],
    args: (folder, port) => [
      "--no-defaults",
      `--datadir=${join(folder, "data")}`,
      `--tmpdir=${folder}`,
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      "--skip-name-resolve",
      "--innodb-flush-log-at-trx-commit=0",
      `--init-file=${join(folder, "init.sql")}`,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ],
    url: (port) => `mysql://root@127.0.0.1:${port}/app`,
  })
}

/** A database of a test does not need durability. */
const withoutDurability = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }

/**
 * Starts a PostgreSQL server with an empty database on a free port of 127.0.0.1.
 * @param settings Server settings, such as `{ timezone: "Asia/Kolkata" }`.
 * @throws Error if `postgres` or `initdb` is not installed, or the server does not start
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  return await startDatabase({
    name: "postgres",
    user: findServerUser(["postgres", "nobody"]),
    // Ends open sessions. SIGTERM would wait for them.
    endSignal: "SIGINT",
    readyText: "database system is ready to accept connections",
    create: (folder) => [
      "initdb",
      ["-D", join(folder, "data"), "-U", "app", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    ],
    args: (folder, port) => {
      const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...withoutDurability, ...settings }
      const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      return ["-D", join(folder, "data"), "-p", String(port), ...options]
    },
    url: (port) => `postgres://app@127.0.0.1:${port}/postgres`,
  })
}

/** A database server that can be stopped and restarted with its data. */
export interface DatabaseServer extends StoreServer {
  /**
   * Stops the server as an operator would, so that clients lose their connections. It keeps its data and URL.
   */
  halt(): Promise<void>
  /** Starts the server again after `halt`. */
  resume(): Promise<void>
}

/** How to create and run a kind of database server. */
interface DatabaseProgram {
  readonly name: string
  /** The user who runs it. Undefined: the user of this process. */
  readonly user: ServerUser | undefined
  readonly endSignal: NodeJS.Signals
  readonly readyText: string
  /** Additional files in the folder, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** The program that creates the data folder, and its arguments. */
  create(folder: string): readonly [string, readonly string[]]
  args(folder: string, port: number): readonly string[]
  url(port: number): string
}

const run = promisify(execFile)

async function startDatabase(program: DatabaseProgram): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${program.name}-`))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await createData(program, folder)
    const port = await findFreePort()
    const start = () => startProgram({ ...program, args: program.args(folder, port), port })
    return toDatabaseServer(await start(), { url: program.url(port), start, remove })
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

interface RestartOptions {
  readonly url: string
  readonly start: () => Promise<RunningProgram>
  readonly remove: () => Promise<void>
}

function toDatabaseServer(first: RunningProgram, { url, start, remove }: RestartOptions): DatabaseServer {
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
