import { resolve } from "node:path"
import { parseArgs } from "node:util"
import type { DatabaseKind } from "@latchkey/kysely-adapter"
import type { MadeMigration } from "@latchkey/kysely-adapter/migrations"
import { type CommandContext, type LatchkeyConfig, readConfig, UsageError } from "./config.js"
import { createPaint, escapeText, type Paint } from "./terminal.js"

const usage = `Usage: latchkey <command>

  migrate          migrates the tables of @latchkey/kysely-adapter to the installed version
  breached build   makes a small filter of the downloaded list of breached passwords
  doctor           looks for mistakes in a running site and in a configuration
  compare          compares the answers of two services, such as before and after a move
  move             moves an app from next-auth or another package of Auth.js
  import           imports the users of another system, with passwords, second factors and passkeys
  add              copies components for sign-in and account into an app
  explain          tells from a log why a sign-in failed, and what to change
  secret           prints a new secret, or adds it to an environment file

Run latchkey <command> --help for the options of a command.
`

/** The commands whose exit code tells more than whether they failed. */
const telling: Readonly<Record<string, (args: readonly string[], context: CommandContext) => Promise<number>>> = {
  doctor: async (...given) => (await import("./doctor/doctor.js")).doctor(...given),
  explain: async (...given) => (await import("./explain.js")).explain(...given),
  compare: async (...given) => (await import("./compare/compare.js")).compare(...given),
  move: async (...given) => (await import("./move/move.js")).move(...given),
  add: async (...given) => (await import("./add.js")).add(...given),
  import: async (...given) => (await import("./import/import.js")).importCommand(...given),
}

/**
 * Runs a command, and loads no other one.
 * @returns the exit code: 0; 1 when the command failed or refused; 2 when it was called incorrectly
 */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const [command, ...rest] = args
  try {
    if (command === "migrate") await migrate(rest, context)
    else if (command === "breached") await buildFilter(rest, context)
    else if (command !== undefined && Object.hasOwn(telling, command))
      return (await telling[command]?.(rest, context)) ?? 0
    else if (command === "secret") await (await import("./secret.js")).secret(rest, context)
    else if (command === "--help" || command === "-h") context.print(usage)
    else throw new UsageError(command === undefined ? usage : `Unknown command${toName(command)}.\n\n${usage}`)
    return 0
  } catch (error) {
    context.printError(`${createPaint(context, "errors").error(toShown(toMessage(error)))}\n`)
    return isMisuse(error) ? 2 : 1
  }
}

/** The name of an unknown command. Nothing else is repeated: it may be the URL of a database, with its password. */
function toName(command: string): string {
  return /^[\w-]+$/.test(command) ? ` "${command}"` : ""
}

/** `parseArgs` throws its own errors for unknown options. */
function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
}

/** Errors name folders of others' projects, and quote databases. */
function toShown(message: string): string {
  return message
    .split("\n")
    .map((line) => escapeText(line, maxErrorLine))
    .join("\n")
}

const maxErrorLine = 2000

/** A failed connection to several addresses has no message of its own. */
function toMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(toMessage).join("\n")
  // Its own message repeats the argument, which may be the URL of a database, with its password.
  if (error instanceof Error && "code" in error && error.code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
    return "Unexpected argument. Name the database or the site with --url."
  return error instanceof Error ? error.message : String(error)
}

const breachedUsage = `Usage: latchkey breached build <list> <filter> [options]

Makes a filter of the downloaded list of Have I Been Pwned, for fileList() of @latchkey/core/passwords: 1.8 bytes for each
password, and one of a thousand other passwords is taken for one of them.

  <list>            lines of SHA-1:count, as the site's downloader writes them
  <filter>          the file to write
  --seen <count>    leaves out passwords that were seen less often. Default: 100
  --help            prints this help
`

/**
 * `latchkey breached build`.
 * @throws UsageError when the arguments are not a list and a filter
 */
async function buildFilter(args: readonly string[], { folder, print }: CommandContext): Promise<void> {
  const options = { seen: { type: "string", default: "100" }, help: { type: "boolean", short: "h" } } as const
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) return print(breachedUsage)
  const [action, list, filter, ...more] = positionals
  if (action !== "build" || list === undefined || filter === undefined || more.length > 0) {
    throw new UsageError(breachedUsage)
  }
  if (!/^[1-9]\d{0,8}$/.test(values.seen)) throw new UsageError("--seen must be a count of at least 1.")
  const [from, to] = [resolve(folder, list), resolve(folder, filter)]
  const { buildBreachFilter } = await import("@latchkey/core/passwords")
  const { passwords, bytes } = await buildBreachFilter({ from, to, seen: Number(values.seen) })
  print(`${passwords} passwords in ${bytes} bytes\n`)
}

const migrateUsage = `Usage: latchkey migrate [options]

Migrates the tables of @latchkey/kysely-adapter to the installed version. Safe to run in several processes at once.

  --url <url>         postgres://, mysql://, mariadb://, sqlite:<file> or pglite:<folder>.
                      Default: the url of the configuration, else DATABASE_URL
  --config <file>     a module whose default export names the database and the tables.
                      Default: latchkey.config.js, .mjs or .ts, if it exists
  --to <migration>    goes to that migration, up or down; "none" DROPS ALL TABLES
  --down              reverts the last migration and deletes the data it added
  --print             prints the SQL and changes nothing
  --database <kind>   with --print: prints the SQL for an empty sqlite, d1, postgres or mysql database, without connecting
  --help              prints this help
`

const migrateOptions = {
  url: { type: "string" },
  config: { type: "string" },
  to: { type: "string" },
  down: { type: "boolean" },
  print: { type: "boolean" },
  database: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const

/**
 * `latchkey migrate`.
 * @throws UsageError when the arguments cannot be combined
 * @throws UnknownSchema when the database contains tables that this version does not know
 */
async function migrate(args: readonly string[], context: CommandContext): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: migrateOptions })
  if (values.help) return context.print(migrateUsage)
  if (values.down && values.to !== undefined) throw new UsageError("Use either --down or --to, not both.")
  const to = values.down ? "previous" : values.to
  const config = await readConfig(values.config, context.folder)
  if (values.database !== undefined)
    return context.print(await emptyDatabaseSql({ ...values, database: values.database }, config))
  const { openDatabase } = await import("./open-database.js")
  const database = await openDatabase(values.url, config, context)
  try {
    context.print(
      values.print ? await database.pendingSql(to) : toReport(await database.migrate(to), createPaint(context)),
    )
  } finally {
    await database.close()
  }
}

interface PrintArguments {
  readonly database: string
  readonly print?: boolean | undefined
  readonly url?: string | undefined
  readonly to?: string | undefined
  readonly down?: boolean | undefined
}

async function emptyDatabaseSql(
  { database, print, url, to, down }: PrintArguments,
  { tables }: LatchkeyConfig,
): Promise<string> {
  if (!isDatabaseKind(database)) throw new UsageError("--database must be sqlite, d1, postgres or mysql.")
  if (!print || url !== undefined || to !== undefined || down)
    throw new UsageError("--database can only be combined with --print: it does not connect to a database.")
  return (await import("@latchkey/kysely-adapter/migrations")).schemaSql(database, tables)
}

function isDatabaseKind(text: string): text is DatabaseKind | "d1" {
  return text === "sqlite" || text === "d1" || text === "postgres" || text === "mysql"
}

function toReport(migrations: readonly MadeMigration[], paint: Paint): string {
  if (migrations.length === 0) return "Nothing to do.\n"
  const done = { up: paint.good("applied"), down: paint.warning("reverted") }
  return migrations.map(({ name, direction }) => `${done[direction]}: ${name}\n`).join("")
}
