import type { AdapterUser } from "@latchkey/core/adapters"
import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import { testAdapter } from "@latchkey/testkit/adapter"
import {
  bigint,
  boolean,
  customType,
  getTableConfig,
  integer,
  jsonb,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
  varchar,
} from "drizzle-orm/pg-core"
import { beforeAll, describe, expect, it } from "vitest"
import { createStatements, expires, sampleAccount, sampleUser } from "./fixtures.js"

/** Case-insensitive text, such as `citext`. */
const lenientText = customType<{ data: string; driverData: string }>({ dataType: () => "text collate lenient" })

const ids = {
  uuid: { own: () => uuid("person_no").primaryKey().defaultRandom(), userId: () => uuid("person") },
  integer: {
    own: () => integer("person_no").primaryKey().generatedAlwaysAsIdentity(),
    userId: () => integer("person"),
  },
}

/** Tables with other names for everything, another type of ids, and additional columns. */
function hostTables(prefix: "uuid" | "integer") {
  const { own, userId } = ids[prefix]
  const usersTable = pgTable(`${prefix}_people`, {
    id: own(),
    name: varchar("full_name", { length: 255 }),
    email: lenientText("e_mail"),
    emailVerified: timestamp("verified_at", { mode: "date" }),
    image: text("picture"),
    role: text("role_name"),
    settings: jsonb("settings"),
    isActive: boolean("is_active"),
  })
  const ownerId = () => userId().references(() => usersTable.id, { onDelete: "cascade" })
  return {
    usersTable,
    accountsTable: pgTable(
      `${prefix}_identities`,
      {
        number: integer("number").generatedAlwaysAsIdentity(),
        userId: ownerId(),
        type: text("kind").notNull(),
        provider: text("provider").notNull(),
        providerAccountId: text("subject").notNull(),
        refresh_token: text("refresh"),
        access_token: text("access"),
        expires_at: bigint("ends_at", { mode: "bigint" }),
        token_type: text("token_type"),
        scope: text("scope"),
        id_token: text("id_token"),
        session_state: text("session_state"),
      },
      (account) => [primaryKey({ columns: [account.provider, account.providerAccountId] })],
    ),
    sessionsTable: pgTable(`${prefix}_visits`, {
      sessionToken: lenientText("token").primaryKey(),
      userId: ownerId(),
      expires: timestamp("ends_at", { mode: "date", withTimezone: true }).notNull(),
    }),
    verificationTokensTable: pgTable(
      `${prefix}_mailed`,
      {
        identifier: text("address"),
        token: text("hash"),
        expires: timestamp("ends_at", { mode: "date" }).notNull(),
      },
      (mailed) => [primaryKey({ columns: [mailed.identifier, mailed.token] })],
    ),
    authenticatorsTable: pgTable(`${prefix}_passkeys`, {
      credentialID: text("credential").primaryKey(),
      userId: ownerId(),
      providerAccountId: text("subject").notNull(),
      credentialPublicKey: text("public_key").notNull(),
      counter: bigint("uses", { mode: "bigint" }).notNull(),
      credentialDeviceType: text("device").notNull(),
      credentialBackedUp: boolean("is_backed_up").notNull(),
      transports: text("transports"),
      name: text("called"),
      lastUsedAt: timestamp("used_at", { mode: "date" }),
    }),
    spentTable: pgTable(`${prefix}_spent`, {
      id: text("hash").primaryKey(),
      expires: timestamp("ends_at", { mode: "date" }).notNull(),
    }),
    provenEmailsTable: pgTable(
      `${prefix}_proven`,
      { userId: ownerId(), email: text("address"), provider: text("provider").notNull() },
      (proven) => [primaryKey({ columns: [proven.userId, proven.email] })],
    ),
    passwordsTable: pgTable(`${prefix}_passwords`, {
      userId: ownerId().primaryKey(),
      hash: text("phc").notNull(),
      changedAt: timestamp("changed_at", { mode: "date" }).notNull(),
    }),
    factorsTable: pgTable(`${prefix}_factors`, {
      id: text("factor").primaryKey(),
      userId: ownerId(),
      kind: text("kind").notNull(),
      secret: text("sealed").notNull(),
      label: text("label"),
      lastStep: bigint("last_step", { mode: "bigint" }),
      version: bigint("version", { mode: "bigint" }).notNull(),
      createdAt: timestamp("created_at", { mode: "date" }).notNull(),
      lastUsedAt: timestamp("used_at", { mode: "date" }),
    }),
    accountChangesTable: pgTable(`${prefix}_changes`, {
      id: text("change").primaryKey(),
      userId: ownerId(),
      kind: text("kind").notNull(),
      value: text("sealed").notNull(),
      expires: timestamp("ends_at", { mode: "date" }).notNull(),
    }),
  }
}

/** A database that the tests of both kinds share. */
export interface HostDatabase {
  readonly db: PgDatabase<PgQueryResultHKT>
  execute(statement: string): Promise<unknown>
}

/** The database is not in UTC, and writes dates in a format that it does not read. */
export const settings = { timezone: "Asia/Kolkata", datestyle: "SQL, DMY" } as const

type Kind = keyof typeof ids

/**
 * Tests a host's tables, with each kind of ids.
 * @param shared The kinds whose tables pass the shared suite too.
 */
export function testHostTables(database: () => HostDatabase, shared: readonly Kind[]): void {
  beforeAll(async () => {
    const lenient = "create collation lenient (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    await database().execute(lenient)
  })
  describe.each(["uuid", "integer"] as const)("a host's tables with %s ids that the database generates", (kind) =>
    testKind(kind, database, shared.includes(kind)),
  )
}

function testKind(kind: Kind, database: () => HostDatabase, isShared: boolean): void {
  const tables = hostTables(kind)
  let adapter: DrizzleAdapter
  beforeAll(async () => {
    const { db, execute } = database()
    adapter = DrizzleAdapter(db, tables)
    for (const statement of createStatements(Object.values(tables), getTableConfig)) await execute(statement)
    await execute(`create unique index on ${kind}_people ((e_mail collate "C"))`)
  })

  const missing = ["keepTemporary", "takeTemporary", "takeLease", "dropLease"] as const
  const untracked = ["createSessionDetail", "seeSession", "listSessionsByUserId", "endSessions"] as const
  if (isShared) testAdapter({ create: () => ({ adapter }), without: [...missing, ...untracked] })

  it("lets the database generate the id, ignoring the proposed one", async () => {
    const proposed = sampleUser()
    const { id } = await adapter.createUser(proposed)
    expect(id).not.toBe(proposed.id)
    expect(id).toMatch(kind === "uuid" ? /^[0-9a-f-]{36}$/ : /^\d+$/)
  })

  it("finds no user by another spelling of an id, and does not query for invalid ids", async () => {
    const { id } = await adapter.createUser(sampleUser())
    for (const other of [` ${id}`, `${id} `, `0${id}`, id.toUpperCase().replace(/\d$/, "x"), "9".repeat(30), "-1"]) {
      expect(await adapter.getUser(other)).toBeNull()
    }
  })

  it("ADP-13: finds nothing by a key that only a lenient collation treats as equal", async () => {
    const { id, email } = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: `${id}-token`, userId: id, expires })
    expect(await adapter.getUserByEmail(email.toUpperCase())).toBeNull()
    expect(await adapter.getSessionAndUser(`${id}-TOKEN`)).toBeNull()
    expect(await adapter.deleteSession(`${id}-TOKEN`)).toBeNull()
    expect(await adapter.getSessionAndUser(`${id}-token`)).toMatchObject({ user: { email } })
  })

  it("writes and reads the host's own columns, and rejects values that they cannot hold", async () => {
    const own = { role: "editor", settings: { theme: "dark" }, isActive: true }
    const user = await adapter.createUser({ ...sampleUser(), ...own })
    expect(user).toMatchObject(own)
    await adapter.createSession({ sessionToken: user.id, userId: user.id, expires })
    expect((await adapter.getSessionAndUser(user.id))?.user).toMatchObject(own)
    const change = (changes: object) => adapter.updateUser({ id: user.id, ...changes } as AdapterUser) // as: the host's own columns
    await expect(change({ role: { length: 1 } })).rejects.toThrow("role must be")
    await expect(change({ isActive: "no" })).rejects.toThrow("isActive must be")
    await expect(change({ settings: tables.usersTable.role })).rejects.toThrow("settings must be")
    expect(await adapter.getUser(user.id)).toMatchObject(own)
  })

  it("works within a host's transaction, which may roll everything back", async () => {
    const proposed = sampleUser()
    const undone = database().db.transaction(async (transaction) => {
      const within = DrizzleAdapter(transaction, tables)
      const { id } = await within.createUser(proposed)
      await within.linkAccount(sampleAccount(id))
      expect(await within.getUserByEmail(proposed.email)).toMatchObject({ id })
      transaction.rollback()
    })
    await expect(undone).rejects.toThrow("Rollback")
    expect(await adapter.getUserByEmail(proposed.email)).toBeNull()
  })
}
