import { existsSync } from "node:fs"
import { Server as HttpServer } from "node:http"
import { Server as HttpsServer } from "node:https"
import { Server } from "node:net"
import { basename, relative, resolve } from "node:path"
import { type AuthConfig, setEnvDefaults } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { examine } from "@latchkey/core/diagnosis"
import type { DatabaseKind } from "@latchkey/kysely-adapter"
import { type CommandContext, type LatchkeyConfig, readConfig, UsageError } from "../config.js"
import { findAppFolder, readEnvironment } from "../doctor/app-files.js"
import { findConfigFile } from "../doctor/find-config.js"
import { loadConfiguration, nothing } from "../doctor/load-module.js"

/** Where users are imported to. */
export interface Target {
  /** As it is shown, without passwords. */
  readonly name: string
  readonly adapter: Adapter
  /** The types of the app's providers by their ids. Null if only a database is known. */
  readonly providers: ReadonlyMap<string, string> | null
  /** The app's configuration with what the environment fills in. Null if only a database is known. */
  readonly config: AuthConfig | null
  /** `latchkey.config.ts`. */
  readonly settings: LatchkeyConfig
  close(): Promise<void>
}

/**
 * Opens the store of the app's configuration or, without one, the database of `latchkey.config.ts` or `DATABASE_URL`.
 * @param file The app's configuration, or a `latchkey.config` file. Default: the files of these names
 * @throws UsageError if neither can be opened
 */
export async function openTarget(file: string | undefined, context: CommandContext): Promise<Target> {
  const isSettings = file !== undefined && basename(file).startsWith("latchkey.config.")
  const settings = await readConfig(isSettings ? file : undefined, context.folder)
  if (isSettings) return openOwn(settings, context)
  if (file !== undefined) return openApp(resolve(context.folder, file), settings, context)
  const found = findConfigFile(context.folder)
  return found === undefined ? openOwn(settings, context) : openApp(found, settings, context)
}

async function openApp(file: string, settings: LatchkeyConfig, context: CommandContext): Promise<Target> {
  const name = relative(context.folder, file)
  if (!existsSync(file)) throw new UsageError(`The file ${name} does not exist.`)
  const { variables } = readEnvironment(findAppFolder(file), context.folder, context.environment)
  // The app reads them while it is loaded.
  for (const [key, value] of Object.entries(variables)) process.env[key] ??= value
  const env = { ...variables, NODE_ENV: "production" }
  const given = await withoutServers(() => loadConfiguration(file, new Request("https://localhost/auth")))
  const { config, examined } = await examine(given, env)
  const mistake = examined.find(({ isError, code }) => isError && !ignored.has(code))
  if (mistake) throw new UsageError(`${name}: ${mistake.sentence}`)
  if (!config?.adapter) throw new UsageError(`${name} has no adapter: there is no store to import users to.`)
  const filled = { ...given }
  setEnvDefaults(env, filled, true)
  const providers = new Map([...config.providers].map(({ id, type }) => [id, type]))
  return { name, adapter: config.adapter, providers, config: filled, settings, close: async () => undefined }
}

/** The functions of Bun and Deno that open a port without the modules of Node. */
const openers = ["serve", "listen", "listenDatagram", "udpSocket"] as const

/** A small app has its configuration in the file that listens, and may be running while users are imported. */
async function withoutServers<T>(load: () => Promise<T>): Promise<T> {
  // In Bun, HTTP servers do not extend those of `node:net`.
  const kinds = [Server, HttpServer, HttpsServer].filter(({ prototype }) => Object.hasOwn(prototype, "listen"))
  const runtime: object = Reflect.get(globalThis, "Bun") ?? Reflect.get(globalThis, "Deno") ?? {}
  const restorers = [
    ...kinds.map(({ prototype }) =>
      replace(prototype, "listen", function listen(this: unknown) {
        return this
      }),
    ),
    ...openers.filter((name) => name in runtime).map((name) => replace(runtime, name, () => nothing)),
  ]
  try {
    return await load()
  } finally {
    for (const restore of restorers) restore()
  }
}

/** @returns a function that takes it back */
function replace(owner: object, name: string, method: (this: unknown) => unknown): () => void {
  const original: unknown = Reflect.get(owner, name)
  Reflect.set(owner, name, method)
  return () => {
    Reflect.set(owner, name, original)
  }
}

/** They concern requests, and an import has none. */
const ignored: ReadonlySet<string> = new Set([
  "env-url-invalid",
  "env-url-basepath-mismatch",
  "insecure-url",
  "UntrustedHost",
])

async function openOwn(settings: LatchkeyConfig, context: CommandContext): Promise<Target> {
  const { url = context.environment["DATABASE_URL"], db, database, tables = {} } = settings
  const open = { providers: null, config: null, settings }
  if (db !== undefined) {
    const { KyselyAdapter } = await import("@latchkey/kysely-adapter")
    const adapter = KyselyAdapter(db, database === undefined ? tables : { ...tables, database })
    return { ...open, name: "the database of latchkey.config", adapter, close: () => db.destroy() }
  }
  if (!url) throw new UsageError(unknownTarget)
  const { kind, ...opened } = await openDatabase(url, tables, context)
  return { ...open, name: `the ${kind} database`, ...opened }
}

const unknownTarget =
  "There is nothing to import to. Name the file that configures the service with --config, or the database in latchkey.config.ts."

interface Opened extends Pick<Target, "adapter" | "close"> {
  readonly kind: DatabaseKind
}

async function openDatabase(
  url: string,
  tables: NonNullable<LatchkeyConfig["tables"]>,
  { folder }: CommandContext,
): Promise<Opened> {
  const scheme = /^[a-z]+:/.exec(url)?.[0] ?? ""
  if (scheme === "postgres:" || scheme === "postgresql:") {
    const adapter = (await import("@latchkey/kysely-adapter/postgres")).postgres(url, tables)
    return { kind: "postgres", adapter, close: adapter.close }
  }
  if (scheme === "mysql:" || scheme === "mariadb:") {
    const adapter = (await import("@latchkey/kysely-adapter/mysql")).mysql(url, tables)
    return { kind: "mysql", adapter, close: adapter.close }
  }
  if (scheme !== "sqlite:" && scheme !== "file:")
    throw new UsageError("Import to this database by the app's configuration: name its file with --config.")
  const path = resolve(folder, url.replace(/^[a-z]+:(?:\/\/)?/, ""))
  if (!existsSync(path)) throw new UsageError("There is no such database file. Run latchkey migrate first.")
  const adapter = (await import("@latchkey/kysely-adapter/sqlite")).sqlite(path, tables)
  return { kind: "sqlite", adapter, close: async () => adapter.close() }
}
