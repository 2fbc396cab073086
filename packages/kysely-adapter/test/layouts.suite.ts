import type { SchemaOptions } from "@latchkey/kysely-adapter"
import type { ConnectedAdapter } from "@latchkey/kysely-adapter/postgres"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { afterAll, beforeAll, describe } from "vitest"

/** The layouts of the tables; the adapter behaves the same in each. */
const layouts: Readonly<Record<string, SchemaOptions>> = {
  "the default tables": {},
  "the linked layout": { layout: "linked" },
  "generated integer ids": { prefix: "counted_", ids: "integer" },
  "generated UUIDs": { prefix: "uuid_", ids: "uuid" },
  "the linked layout with generated integer ids": { layout: "linked", prefix: "both_", ids: "integer" },
}

type Open = (options: SchemaOptions) => ConnectedAdapter

/** Runs the shared suite on each layout, in one database. */
export function testLayouts(open: Open): void {
  for (const [name, options] of Object.entries(layouts)) testLayout(name, options, open)
}

/** Runs the shared suite on the default tables alone: PostgreSQL runs it on the other layouts. */
export function testDefaultLayout(open: Open): void {
  testLayout("the default tables", {}, open)
}

function testLayout(name: string, options: SchemaOptions, open: Open): void {
  describe(`with ${name}`, () => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      adapter = open(options)
      await adapter.migrate()
    })
    afterAll(async () => await adapter.close())

    testAdapter({ create: () => ({ adapter }) })
    testFeatures({ create: () => ({ adapter }) })
  })
}

/** The same on a server that an environment variable names. Drops its tables afterwards. Does nothing if the variable is not set. */
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
    })
    afterAll(async () => {
      await adapter.migrate("none")
      for (const table of ["latchkey_migration", "latchkey_migration_lock"])
        await adapter.db.schema.dropTable(`${prefix}${table}`).execute()
      await adapter.close()
    })

    testAdapter({ create: () => ({ adapter }) })
  })
}
