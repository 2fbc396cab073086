import { join } from "node:path"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { type Kysely, sql } from "kysely"
import { describe, expect, it } from "vitest"
import type { OpenSource } from "../../src/import/records.js"
import { openBetterAuth } from "../../src/import/sources/better-auth.js"
import { openNextAuth } from "../../src/import/sources/next-auth.js"
import { openSupabase } from "../../src/import/sources/supabase.js"
import {
  fillSqlite,
  makeFolder,
  type ReadSource,
  readFixture,
  readSource,
  type SourcePlace,
  type TableFixture,
} from "../import/source-fixtures.js"
import { expectSupabaseUsers, type SupabaseFixture } from "../import/supabase-users.js"

interface BetterAuthFixture extends TableFixture {
  readonly secrets: { readonly v1: string; readonly v2: string }
}

const betterAuth = readFixture<BetterAuthFixture>("better-auth@1.7.25.json")
const { drizzle } = readFixture<Readonly<Record<"drizzle", TableFixture>>>("auth-adapters.json")
const { secrets } = betterAuth
const options = { fields: { createdAt: "createdAt", updatedAt: "changedAt" } }
const environment = { BETTER_AUTH_SECRETS: `2:${secrets.v2}`, BETTER_AUTH_SECRET: secrets.v1 }

/** How a statement and a value of SQLite are written in another database. */
interface Translation {
  statement(text: string): string
  value(value: unknown, column: string): unknown
}

const dates = /^(?:createdAt|updatedAt|banExpires|lockedUntil|\w+TokenExpiresAt|emailVerified)$/

const toPostgres: Translation = {
  statement: (text) =>
    text
      .replaceAll(/"emailVerified" integer(?=, "image")/g, '"emailVerified" timestamp')
      .replaceAll(" date", " timestamptz"),
  value: (value, column) => (dates.test(column) ? toIso(value) : value),
}

const toMysql: Translation = {
  statement: (text) =>
    toPostgres
      .statement(text)
      .replaceAll(/ text((?: not null)? (?:primary key|unique|references))/g, " varchar(191)$1")
      .replaceAll(/("(?:provider|providerAccountId|userId|credentialID)") text/g, "$1 varchar(191)")
      .replaceAll(/ timestamp(?:tz)?/g, " datetime(3)")
      .replaceAll('"', "`"),
  value: (value, column) => {
    const written = toPostgres.value(value, column)
    return dates.test(column) && typeof written === "string" ? written.replace("T", " ").replace("Z", "") : written
  },
}

/** Drizzle keeps milliseconds in SQLite. A yes or no stays as it is. */
function toIso(value: unknown): unknown {
  return typeof value === "number" && value > 1 ? new Date(value).toISOString() : value
}

async function fill(db: Kysely<unknown>, { schema, tables }: TableFixture, translation: Translation): Promise<void> {
  for (const statement of schema) await sql.raw(translation.statement(statement)).execute(db)
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const columns = sql.join(Object.keys(row).map((column) => sql.id(column)))
      const values = sql.join(Object.entries(row).map(([column, value]) => translation.value(value, column)))
      await sql`insert into ${sql.id(table)} (${columns}) values (${values})`.execute(db)
    }
  }
}

/** The same users as from SQLite, in another order. */
async function expectSame(open: OpenSource, fixture: TableFixture, place: SourcePlace): Promise<void> {
  const folder = makeFolder()
  fillSqlite(join(folder, "theirs.db"), fixture)
  const inSqlite = await readSource(open, { ...place, argument: "sqlite:theirs.db", folder })
  const here = await readSource(open, place)
  expect(sortUsers(here)).toEqual(sortUsers(inSqlite))
  expect(here.survey).toEqual(inSqlite.survey)
}

function sortUsers({ users, refused }: ReadSource): readonly unknown[] {
  const byText =
    <T>(toText: (one: T) => unknown) =>
    (one: T, other: T) =>
      String(toText(one)) < String(toText(other)) ? -1 : 1
  const sorted = users.map((user) => ({ ...user, accounts: user.accounts?.toSorted(byText((one) => one.provider)) }))
  return [sorted.toSorted(byText(({ id }) => id)), refused.toSorted(byText(({ id }) => id))]
}

describe("latchkey import from a database server", () => {
  it.skipIf(!hasProgram("postgres"))("reads the same users from PostgreSQL as from a file", async () => {
    const server = await startPostgres()
    try {
      const { db, close } = postgres(server.url)
      const own = db as unknown as Kysely<unknown> // as: the tables are others
      await fill(own, betterAuth, toPostgres)
      await expectSame(openBetterAuth, betterAuth, { argument: server.url, environment, options })
      await sql.raw(`drop table "passkey", "twoFactor", "account", "user"`).execute(own)
      await fill(own, drizzle, toPostgres)
      await expectSame(openNextAuth, drizzle, { argument: server.url })
      for (const statement of readFixture<SupabaseFixture>("supabase.json").statements)
        await sql.raw(statement).execute(own)
      await expectSupabaseUsers((options) => readSource(openSupabase, { argument: server.url, options }))
      await close()
    } finally {
      await server.stop()
    }
  })

  it.skipIf(!hasProgram("mariadbd"))("reads the same users from MariaDB as from a file", async () => {
    const server = await startMariadb({ "default-time-zone": "+05:00" })
    try {
      const { db, close } = mysql(server.url)
      const own = db as unknown as Kysely<unknown> // as: the tables are others
      await fill(own, betterAuth, toMysql)
      await expectSame(openBetterAuth, betterAuth, { argument: server.url, environment, options })
      await sql.raw("drop table `passkey`, `twoFactor`, `account`, `user`").execute(own)
      await fill(own, drizzle, toMysql)
      await expectSame(openNextAuth, drizzle, { argument: server.url })
      await close()
    } finally {
      await server.stop()
    }
  })
})
