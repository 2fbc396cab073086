import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { DrizzleAdapter } from "@auth/drizzle-adapter"
import { sql } from "drizzle-orm"
import { drizzle as overMysql } from "drizzle-orm/mysql2"
import { drizzle as overPg } from "drizzle-orm/node-postgres"
import { drizzle as overSqlite, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy"
import { createPool } from "mysql2/promise"
import { openPool } from "./pg-pool.js"
import type { TheirStore } from "./their-store.js"

/** The differences between the documented tables. */
interface Columns {
  readonly quote: string
  readonly key: string
  readonly token: string
  readonly date: string
  readonly boolean: string
}

const columns = {
  postgres: { quote: '"', key: "text", token: "text", date: "timestamp", boolean: "boolean" },
  mysql: { quote: "`", key: "varchar(255)", token: "varchar(255)", date: "timestamp(3) null", boolean: "boolean" },
  sqlite: { quote: '"', key: "text", token: "text", date: "integer", boolean: "integer" },
} satisfies Record<string, Columns>

const names = ["user", "account", "session", "verificationToken", "authenticator"]

/** The documented tables, one statement each. */
function tablesOf({ quote, key, token, date, boolean }: Columns): readonly string[] {
  const q = (name: string) => `${quote}${name}${quote}`
  const owner = `${q("userId")} ${key} not null references ${q("user")}(id) on delete cascade`
  return [
    `create table ${q("user")} (id ${key} primary key, name ${key}, email ${key} unique, ${q("emailVerified")} ${date},
      image ${key})`,
    `create table ${q("account")} (${owner}, type ${key} not null, provider ${key} not null,
      ${q("providerAccountId")} ${key} not null, refresh_token ${token}, access_token ${token}, expires_at integer,
      token_type ${key}, scope ${key}, id_token ${quote === "`" ? "varchar(2048)" : "text"}, session_state ${key},
      primary key (provider, ${q("providerAccountId")}))`,
    `create table ${q("session")} (${q("sessionToken")} ${key} primary key, ${owner}, expires ${date})`,
    `create table ${q("verificationToken")} (identifier ${key} not null, token ${key} not null, expires ${date},
      primary key (identifier, token))`,
    `create table ${q("authenticator")} (${q("credentialID")} ${key} not null unique, ${owner},
      ${q("providerAccountId")} ${key} not null, ${q("credentialPublicKey")} ${key} not null, counter integer not null,
      ${q("credentialDeviceType")} ${key} not null, ${q("credentialBackedUp")} ${boolean} not null, transports ${key},
      primary key (${q("userId")}, ${q("credentialID")}))`,
  ]
}

const emptying = ({ quote }: Columns) => names.toReversed().map((name) => `delete from ${quote}${name}${quote}`)

/** `@auth/drizzle-adapter` in PostgreSQL, in a schema of its own. */
export async function openDrizzlePg(url: string, schema: string): Promise<TheirStore> {
  const pool = openPool(url, schema)
  const db = overPg(pool)
  for (const text of [`create schema ${schema}`, ...tablesOf(columns.postgres)]) await db.execute(sql.raw(text))
  return {
    adapter: DrizzleAdapter(db),
    async empty() {
      for (const text of emptying(columns.postgres)) await db.execute(sql.raw(text))
    },
    close: () => pool.end(),
  }
}

/** `@auth/drizzle-adapter` in MySQL or MariaDB. */
export async function openDrizzleMysql(url: string): Promise<TheirStore> {
  const pool = createPool(url)
  const db = overMysql(pool)
  for (const text of tablesOf(columns.mysql)) await db.execute(sql.raw(text))
  return {
    adapter: DrizzleAdapter(db),
    async empty() {
      for (const text of emptying(columns.mysql)) await db.execute(sql.raw(text))
    },
    close: () => pool.end(),
  }
}

/** Drizzle with node:sqlite. */
export function overNode(database: DatabaseSync): SqliteRemoteDatabase {
  return overSqlite(async (text, params: readonly SQLInputValue[], method) => {
    const statement = database.prepare(text)
    if (method === "run") {
      statement.run(...params)
      return { rows: [] }
    }
    statement.setReturnArrays(true)
    const rows = statement.all(...params)
    // as: for a single row the driver expects a row or undefined.
    return { rows: (method === "get" ? rows[0] : rows) as unknown[] }
  })
}

/** `@auth/drizzle-adapter` with node:sqlite. */
export function openDrizzleSqlite(file: string): TheirStore {
  const database = new DatabaseSync(file)
  for (const text of tablesOf(columns.sqlite)) database.exec(text)
  return {
    adapter: DrizzleAdapter(overNode(database)),
    empty: () => database.exec(emptying(columns.sqlite).join(";")),
    close: () => database.close(),
  }
}
