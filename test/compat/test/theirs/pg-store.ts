import PostgresAdapter from "@auth/pg-adapter"
import { openPool } from "./pg-pool.js"
import type { TheirStore } from "./their-store.js"

/** The documented tables of `@auth/pg-adapter`. */
const tables = `
  create table verification_token (identifier text not null, expires timestamptz not null, token text not null,
    primary key (identifier, token));
  create table accounts (id serial, "userId" integer not null, type varchar(255) not null, provider varchar(255) not null,
    "providerAccountId" varchar(255) not null, refresh_token text, access_token text, expires_at bigint, id_token text,
    scope text, session_state text, token_type text, primary key (id));
  create table sessions (id serial, "userId" integer not null, expires timestamptz not null,
    "sessionToken" varchar(255) not null, primary key (id));
  create table users (id serial, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text,
    primary key (id));
`

/** `@auth/pg-adapter` with its own schema and tables. */
export async function openPgStore(url: string, schema: string): Promise<TheirStore> {
  const pool = openPool(url, schema)
  await pool.query(`create schema ${schema}`)
  await pool.query(tables)
  return {
    adapter: PostgresAdapter(pool),
    empty: () => pool.query("truncate users, accounts, sessions, verification_token"),
    close: () => pool.end(),
  }
}
