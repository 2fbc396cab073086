import type { SchemaOptions } from "@latchkey/kysely-adapter"
import type { ConnectedAdapter } from "@latchkey/kysely-adapter/postgres"
import { testAdapter } from "@latchkey/testkit/adapter"
import { afterAll, beforeAll, describe } from "vitest"

/** Ways to lay the tables out, in which the adapter keeps the same promises. */
const layouts: Readonly<Record<string, SchemaOptions>> = {
  "the default tables": {},
  "the linked layout": { layout: "linked" },
  "ids that the database counts": { prefix: "counted_", ids: "integer" },
  "UUIDs that the database makes": { prefix: "uuid_", ids: "uuid" },
  "the linked layout with ids that the database counts": { layout: "linked", prefix: "both_", ids: "integer" },
}

/** Runs the shared suite over each layout, in one database. */
export function testLayouts(open: (options: SchemaOptions) => ConnectedAdapter): void {
  describe.each(Object.entries(layouts))("with %s", (_, options) => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      adapter = open(options)
      await adapter.migrate()
    }, 60_000)
    afterAll(async () => await adapter.close())

    testAdapter({ create: () => ({ adapter }) })
  })
}

/** The same over a server that the environment names, which is left as it was found. Without it, nothing is registered. */
export function testGivenServer(
  variable: "LATCHKEY_POSTGRES_URL" | "LATCHKEY_MYSQL_URL",
  open: (url: string, options: SchemaOptions) => ConnectedAdapter,
): void {
  const url = process.env[variable]
  if (!url) return
  const run = `run_${crypto.randomUUID().slice(0, 8)}_`
  describe.each(Object.entries(layouts))(`the server of ${variable} with %s`, (_, options) => {
    const prefix = `${run}${options.prefix ?? options.layout ?? ""}`
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      adapter = open(url, { ...options, prefix })
      await adapter.migrate()
    }, 60_000)
    afterAll(async () => {
      await adapter.migrate("none")
      for (const books of ["latchkey_migration", "latchkey_migration_lock"])
        await adapter.db.schema.dropTable(`${prefix}${books}`).execute()
      await adapter.close()
    })

    testAdapter({ create: () => ({ adapter }) })
  })
}
