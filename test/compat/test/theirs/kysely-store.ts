import { type Database, KyselyAdapter } from "@auth/kysely-adapter"
import { type Dialect, Kysely, sql } from "kysely"
import type { TheirStore } from "./their-store.js"

interface ColumnTypes {
  readonly id: string
  readonly key: string
  readonly date: string
}

/** The documented column types of each database. */
const types = {
  postgres: { id: "uuid default gen_random_uuid()", key: "text", date: "timestamptz" },
  mysql: { id: "varchar(36) default (uuid())", key: "varchar(255)", date: "datetime(3)" },
  sqlite: { id: "text default (lower(hex(randomblob(16))))", key: "text", date: "text" },
} satisfies Record<string, ColumnTypes>

const models = ["Account", "Session", "VerificationToken", "User"] as const

/** `@auth/kysely-adapter` with its own tables. */
export async function openKyselyStore(kind: keyof typeof types, dialect: Dialect): Promise<TheirStore> {
  const db = new Kysely<Database>({ dialect })
  const { id, key, date } = types[kind]
  const [idType, ownerType] = [sql.raw(`${id} primary key`), sql.raw(id.split(" ", 1).join())]
  const owner = sql`${ownerType} not null`
  await sql`create table ${sql.table("User")} (${sql.ref("id")} ${idType}, ${sql.ref("name")} text,
    ${sql.ref("email")} ${sql.raw(key)} not null unique, ${sql.ref("emailVerified")} ${sql.raw(date)},
    ${sql.ref("image")} text)`.execute(db)
  await sql`create table ${sql.table("Account")} (${sql.ref("id")} ${idType}, ${sql.ref("userId")} ${owner},
    ${sql.ref("type")} text not null, ${sql.ref("provider")} ${sql.raw(key)} not null,
    ${sql.ref("providerAccountId")} ${sql.raw(key)} not null, refresh_token text, access_token text, expires_at bigint,
    token_type text, scope text, id_token text, session_state text,
    foreign key (${sql.ref("userId")}) references ${sql.table("User")} (${sql.ref("id")}) on delete cascade)`.execute(
    db,
  )
  await sql`create table ${sql.table("Session")} (${sql.ref("id")} ${idType}, ${sql.ref("userId")} ${owner},
    ${sql.ref("sessionToken")} ${sql.raw(key)} not null unique, ${sql.ref("expires")} ${sql.raw(date)} not null,
    foreign key (${sql.ref("userId")}) references ${sql.table("User")} (${sql.ref("id")}) on delete cascade)`.execute(
    db,
  )
  await sql`create table ${sql.table("VerificationToken")} (${sql.ref("identifier")} ${sql.raw(key)} not null,
    ${sql.ref("token")} ${sql.raw(key)} not null unique, ${sql.ref("expires")} ${sql.raw(date)} not null)`.execute(db)
  return {
    adapter: KyselyAdapter(db),
    async empty() {
      for (const model of models) await db.deleteFrom(model).execute()
    },
    close: () => db.destroy(),
  }
}
