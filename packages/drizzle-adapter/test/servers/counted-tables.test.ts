import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/mysql"
import { featureMethods, testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startMariadb } from "@latchkey/testkit/servers"
import {
  bigint,
  boolean,
  datetime,
  getTableConfig,
  mysqlTable,
  primaryKey,
  text,
  varchar,
} from "drizzle-orm/mysql-core"
import { drizzle, type MySql2Database } from "drizzle-orm/mysql2"
import { createPool, type Pool } from "mysql2/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createStatements, sampleUser } from "../fixtures.js"

// A host's tables in MySQL: auto-increment ids, and text in the default collation of the server.

const usersTable = mysqlTable("people", {
  id: bigint("id", { mode: "number" }).primaryKey().autoincrement(),
  name: text("name"),
  email: varchar("email", { length: 191 }).unique(),
  emailVerified: datetime("email_verified", { mode: "date", fsp: 3 }),
  image: text("image"),
})

const personId = () =>
  bigint("person_id", { mode: "number" })
    .notNull()
    .references(() => usersTable.id, { onDelete: "cascade" })

const tables = {
  usersTable,
  accountsTable: mysqlTable(
    "identities",
    {
      userId: personId(),
      type: text("type").notNull(),
      provider: varchar("provider", { length: 191 }),
      providerAccountId: varchar("subject", { length: 191 }),
      refresh_token: text("refresh_token"),
      access_token: text("access_token"),
      expires_at: bigint("expires_at", { mode: "number" }),
      token_type: text("token_type"),
      scope: text("scope"),
      id_token: text("id_token"),
      session_state: text("session_state"),
    },
    (account) => [primaryKey({ columns: [account.provider, account.providerAccountId] })],
  ),
  sessionsTable: mysqlTable("visits", {
    sessionToken: varchar("token", { length: 191 }).primaryKey(),
    userId: personId(),
    expires: datetime("expires", { mode: "date", fsp: 3 }).notNull(),
  }),
  authenticatorsTable: mysqlTable("passkeys", {
    credentialID: varchar("credential", { length: 191 }).primaryKey(),
    userId: personId(),
    providerAccountId: text("subject").notNull(),
    credentialPublicKey: text("public_key").notNull(),
    counter: bigint("counter", { mode: "bigint" }).notNull(),
    credentialDeviceType: text("device").notNull(),
    credentialBackedUp: boolean("is_backed_up").notNull(),
    transports: text("transports"),
  }),
  provenEmailsTable: mysqlTable(
    "proven",
    { userId: personId(), email: varchar("email", { length: 191 }), provider: text("provider").notNull() },
    (proven) => [primaryKey({ columns: [proven.userId, proven.email] })],
  ),
}

describe.skipIf(!hasProgram("mariadbd"))("tables with auto-increment ids and lenient collations in MariaDB", () => {
  let server: DatabaseServer
  let pool: Pool
  let db: MySql2Database

  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4", "collation-server": "utf8mb4_general_ci" })
    pool = createPool(server.url)
    db = drizzle(pool)
    const all = [...Object.values(tables), schema.verificationTokensTable]
    for (const statement of createStatements(all, getTableConfig, "`")) await pool.query(statement)
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  testAdapter({
    create: () => ({ adapter: DrizzleAdapter(db, tables) }),
    without: [
      "updateAuthenticator",
      "consumeOnce",
      ...featureMethods.filter((method) => !["replaceTokens", "replaceEmail", "transaction"].includes(method)),
    ],
    notPromised: {
      "ADP-13: distinguishes look-alike account ids, and links both":
        "the columns of this host treat the two as one account, which is linked once",
    },
  })

  it("returns the id that the database generated", async () => {
    const adapter = DrizzleAdapter(db, tables)
    const [first, second] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
    expect(Number(second.id)).toBe(Number(first.id) + 1)
    expect(await adapter.getUser(first.id)).toEqual(first)
    expect(await adapter.getUser(`0${first.id}`)).toBeNull()
  })

  it("rejects an email that the database would truncate", async () => {
    await pool.query("set global sql_mode = ''")
    const lenient = createPool(server.url)
    const { createUser, getUserByEmail } = DrizzleAdapter(drizzle(lenient), tables)
    const email = `${"a".repeat(190)}@example.com`
    await expect(createUser(sampleUser({ email }))).rejects.toThrow("email must be a key that its column can hold")
    expect(await getUserByEmail(email)).toBeNull()
    await lenient.end()
  })
})
