import { parseArgs } from "node:util"
import type { DatabaseKind } from "@latchkey/kysely-adapter"
import { type MadeMigration, schemaSql } from "@latchkey/kysely-adapter/migrations"
import { openDatabase } from "./open-database.js"
import { type LatchkeyConfig, readConfig } from "./read-config.js"
import { type Surroundings, UsageError } from "./surroundings.js"

const usage = `Usage: latchkey migrate [options]

Brings the tables of @latchkey/kysely-adapter to the version that is installed. Several processes may do it at once.

  --url <url>         postgres://, mysql://, mariadb://, sqlite:<file> or pglite:<folder>.
                      Default: what the configuration says, else DATABASE_URL
  --config <file>     a module whose default export names the database and the tables.
                      Default: latchkey.config.js, .mjs or .ts, where there is one
  --to <migration>    goes to that migration, up or down; "none" DROPS ALL TABLES
  --down              takes the last migration back, with what only it can hold
  --print             prints the SQL and changes nothing
  --database <kind>   with --print: sqlite, postgres or mysql, for an empty database that is not asked
  --help              prints this
`

const options = {
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
 * @throws UsageError when the arguments do not fit together
 * @throws UnknownSchema and what the database says
 */
export async function migrateTables(args: readonly string[], surroundings: Surroundings): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) return surroundings.say(usage)
  if (values.down && values.to !== undefined) throw new UsageError("--down and --to exclude one another.")
  const to = values.down ? "previous" : values.to
  const config = await readConfig(values.config, surroundings.folder)
  if (values.database !== undefined)
    return surroundings.say(printEmpty({ ...values, database: values.database }, config))
  const database = await openDatabase(values.url, config, surroundings)
  try {
    surroundings.say(values.print ? await database.print(to) : toReport(await database.migrate(to)))
  } finally {
    await database.close()
  }
}

interface Printing {
  readonly database: string
  readonly print?: boolean | undefined
  readonly url?: string | undefined
  readonly to?: string | undefined
  readonly down?: boolean | undefined
}

function printEmpty({ database, print, url, to, down }: Printing, { tables }: LatchkeyConfig): string {
  if (!isDatabaseKind(database)) throw new UsageError("--database is sqlite, postgres or mysql.")
  if (!print || url !== undefined || to !== undefined || down)
    throw new UsageError("--database goes with --print alone: it asks no database.")
  return schemaSql(database, tables)
}

function isDatabaseKind(text: string): text is DatabaseKind {
  return text === "sqlite" || text === "postgres" || text === "mysql"
}

function toReport(made: readonly MadeMigration[]): string {
  if (made.length === 0) return "Nothing to do.\n"
  return made.map(({ name, direction }) => `${direction === "up" ? "made" : "taken back"}: ${name}\n`).join("")
}
