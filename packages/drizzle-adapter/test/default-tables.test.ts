import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import { testAdapter } from "@latchkey/testkit/adapter"
import { describe } from "vitest"
import { openNodeSqlite } from "./node-sqlite-drizzle.js"

/** Tables as hosts of the ecosystem's adapter have them: no column and no table of ours. */
const ecosystemTables = `
  create table user (id text primary key, name text, email text unique, emailVerified integer, image text);
  create table account (
    userId text not null references user (id) on delete cascade, type text not null, provider text not null,
    providerAccountId text not null, refresh_token text, access_token text, expires_at integer, token_type text,
    scope text, id_token text, session_state text, primary key (provider, providerAccountId)
  );
  create table session (
    sessionToken text primary key, userId text not null references user (id) on delete cascade, expires integer not null
  );
  create table verificationToken (
    identifier text not null, token text not null, expires integer not null, primary key (identifier, token)
  );
  create table authenticator (
    credentialID text not null unique, userId text not null references user (id) on delete cascade,
    providerAccountId text not null, credentialPublicKey text not null, counter integer not null,
    credentialDeviceType text not null, credentialBackedUp integer not null, transports text,
    primary key (userId, credentialID)
  );`

describe("DrizzleAdapter without tables", () => {
  const { db, database } = openNodeSqlite()
  database.exec(ecosystemTables)

  testAdapter({
    name: "on the ecosystem's tables",
    create: () => ({ adapter: DrizzleAdapter(db) }),
    without: ["updateAuthenticator", "consumeOnce", "markEmailVerified", "isEmailVerified"],
  })
})
