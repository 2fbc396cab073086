import { type Database, isUniqueViolation, KyselyAdapter, type SchemaOptions } from "@latchkey/kysely-adapter"
import type { ConnectedAdapter } from "@latchkey/kysely-adapter/postgres"
import type { DatabaseServer } from "@latchkey/testkit/servers"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleAuthenticator, sampleUser, settle } from "../samples.js"

type AnyDatabase = Record<string, Record<string, unknown>>

/** A database server, and how the tests access it. */
export interface ServerUnderTest {
  readonly server: () => DatabaseServer
  open(options?: SchemaOptions & { timeoutMilliseconds?: number }): ConnectedAdapter
  /** Opens an adapter with one connection. */
  openOne(options: { timeoutMilliseconds: number }): ConnectedAdapter
  /** A host's own instance, with default settings. */
  openPlain(): Kysely<Database>
  /** Locks the row of the user with this id. Returns a function that releases the lock. */
  holdUser(db: Kysely<AnyDatabase>, id: string): Promise<() => Promise<void>>
}

/** The cases that need a real server, in addition to the shared suite. */
export function testServer({ server, open, openOne, openPlain, holdUser }: ServerUnderTest): void {
  let adapter: ConnectedAdapter
  beforeAll(async () => {
    adapter = open({ timeoutMilliseconds: 2000 })
    await adapter.migrate()
  }, 60_000)
  afterAll(async () => await adapter.close())

  it("names the tables and columns that are missing, and leaves no connection open that asked for them", async () => {
    const other = open({ prefix: "bare_" })
    expect(await other.findMissingTables()).toContain("bare_User")
    const consume = async () => await other.consumeOnce?.("1", expires)
    await expect(consume()).rejects.toThrow("bare_Spent, bare_ProvenEmail")
    await other.migrate()
    expect(await other.findMissingTables()).toEqual([])
    await other.checkStore()
    await sql`alter table ${sql.table("bare_Authenticator")} drop column ${sql.ref("lastUsedAt")}`.execute(other.db)
    await sql`drop table ${sql.table("bare_Spent")}`.execute(other.db)
    const missing = ["bare_Authenticator.lastUsedAt", "bare_Spent"]
    expect(await other.findMissingTables()).toEqual(missing)
    for (const ask of [consume, other.checkStore])
      await expect(ask()).rejects.toThrow(`Missing: ${missing.join(", ")}. Run`)
    await other.close()
    await expect(other.checkStore()).rejects.toThrow()
  })

  it("finds unique indexes that are missing, short columns for tokens, and columns that take different texts for equal", async () => {
    const other = open({ prefix: "weak_" })
    await other.migrate()
    expect(await other.findStoreDefects()).toEqual([])
    const isMysql = server().url.startsWith("mysql")
    const user = sql.table("weak_User")
    const account = sql.table("weak_Account")
    const token = sql.ref("access_token")
    const email = sql.ref("email")
    if (isMysql) {
      await sql`alter table ${user} drop index ${sql.ref("weak_User_email_key")}`.execute(other.db)
      await sql`alter table ${account} modify ${token} varchar(255)`.execute(other.db)
      await sql`alter table ${user} modify ${email} varchar(255) character set utf8mb4 collate utf8mb4_general_ci`.execute(
        other.db,
      )
    } else {
      await sql`drop index ${sql.ref("weak_User_email_key")}`.execute(other.db).catch(() => undefined)
      await sql`alter table ${user} drop constraint if exists ${sql.ref("weak_User_email_key")}`.execute(other.db)
      await sql`alter table ${account} alter column ${token} type varchar(255)`.execute(other.db)
      await sql
        .raw(
          "create collation if not exists weak_folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        )
        .execute(other.db)
      await sql`alter table ${user} alter column ${email} type text collate weak_folding`.execute(other.db)
    }
    const found = await other.findStoreDefects()
    const short = expect.stringContaining("weak_Account.access_token holds 255 characters")
    expect(found.map((defect) => [defect.kind, defect.sentence])).toEqual([
      ["index", expect.stringContaining("weak_User has no unique index on email")],
      ["collation", expect.stringContaining("weak_User.email")],
      ["column", short],
    ])
    for (const { statement = "" } of found.toReversed()) await sql.raw(statement).execute(other.db)
    expect((await other.findStoreDefects()).map((defect) => defect.kind)).toEqual([])
    await other.migrate("none")
    await other.close()
  })

  it("names the users of duplicate addresses when it cannot migrate them", async () => {
    const other = open({ prefix: "twice_" })
    await other.migrate()
    await other.migrate("none")
    const table = sql.table("twice_User")
    const [id, name, email, verified, image] = ["id", "name", "email", "emailVerified", "image"].map((own) =>
      sql.ref(own),
    )
    await sql`create table ${table} (${id} varchar(50), ${name} varchar(50), ${email} varchar(50), ${verified} varchar(50),
      ${image} varchar(50))`.execute(other.db)
    await sql`insert into ${table} (${id}, ${email}) values ('u-1', 'a@b.c'), ('u-2', 'a@b.c'), ('u-3', 'd@b.c')`.execute(
      other.db,
    )
    await expect(other.migrate()).rejects.toThrow("User has several rows with the same email. Their users: u-1 and u-2")
    await other.close()
  })

  it("distinguishes a unique violation from other errors", async () => {
    const user = await adapter.createUser(sampleUser())
    const again = settle(() => adapter.createUser(sampleUser({ email: user.email })))
    expect(isUniqueViolation(await again.catch((error: unknown) => error))).toBe(true)
    const ownerless = settle(() => adapter.linkAccount(sampleAccount(crypto.randomUUID())))
    expect(isUniqueViolation(await ownerless.catch((error: unknown) => error))).toBe(false)
  })

  it("stores the longest credential ids, and distinguishes them by their last byte", async () => {
    const { id } = await adapter.createUser(sampleUser())
    const longest = crypto.getRandomValues(new Uint8Array(1023))
    const credentialID = Buffer.from(longest).toString("base64")
    const other = `${credentialID.slice(0, -1)}${credentialID.endsWith("A") ? "B" : "A"}`
    for (const one of [credentialID, other]) {
      await adapter.createAuthenticator(sampleAuthenticator(id, one))
      await adapter.linkAccount(sampleAccount(id, { provider: "passkey", providerAccountId: one }))
    }
    await adapter.updateAuthenticatorCounter(other, 7)
    expect(await adapter.getAuthenticator(credentialID)).toMatchObject({ credentialID, counter: 0 })
    expect(await adapter.getAccount(other, "passkey")).toMatchObject({ providerAccountId: other })
    expect(await adapter.getUserByAccount({ provider: "passkey", providerAccountId: other })).toMatchObject({ id })
  })

  it("rejects a key with a lone surrogate, and finds nothing by it", async () => {
    const { id } = await adapter.createUser(sampleUser())
    await adapter.linkAccount(sampleAccount(id, { providerAccountId: "\ufffd" }))
    for (const providerAccountId of ["\ud800", "\udfff"]) {
      expect(await adapter.getAccount(providerAccountId, "harbour")).toBeNull()
      const linked = settle(() => adapter.linkAccount(sampleAccount(id, { providerAccountId })))
      await expect(linked).rejects.toThrow("providerAccountId must be a string that the column can hold")
    }
  })

  it("ADP-13: stores keys that only look alike as different keys", async () => {
    const { id } = await adapter.createUser(sampleUser())
    for (const token of ["token", "token ", "TOKEN", "tóken", "token\t"]) {
      const sessionToken = `${id}-${token}`
      await adapter.createSession({ sessionToken, userId: id, expires })
      expect(await adapter.getSessionAndUser(sessionToken)).toMatchObject({ session: { sessionToken } })
      expect(await adapter.consumeOnce?.(sessionToken, expires)).toBe(true)
    }
  })

  it.each([
    "1970-01-01T00:00:00.001Z",
    "2025-03-09T06:59:59.999Z",
    "2025-10-26T01:30:00.123Z",
    "9999-12-31T23:59:59.998Z",
  ])("stores %s exactly through the host's own instance, in any time zone of its driver", async (text) => {
    const instant = new Date(text)
    const plain = openPlain()
    const { createUser, createSession, getSessionAndUser, removeExpired } = KyselyAdapter(plain)
    const { id } = await createUser(sampleUser({ emailVerified: instant }))
    await createSession({ sessionToken: id, userId: id, expires: instant })
    for (const found of [await getSessionAndUser(id), await adapter.getSessionAndUser(id)])
      expect(found).toMatchObject({ session: { expires: instant }, user: { emailVerified: instant } })
    await removeExpired(instant)
    expect(await getSessionAndUser(id)).not.toBeNull()
    await removeExpired(new Date(instant.getTime() + 1))
    expect(await getSessionAndUser(id)).toBeNull()
    await plain.destroy()
  })

  /** Adds 16,500 expired rows and 5,500 others, and writes another row for as long as the expired ones are removed. */
  async function removeWhileWriting(db: ReturnType<typeof adapter.db.withTables<AnyDatabase>>) {
    const { id: userId } = await adapter.createUser(sampleUser())
    const past = "2020-01-01 00:00:00"
    for (let n = 0; n < 11; n++) {
      const rows = Array.from({ length: 1_000 }, (_, m) => ({
        sessionToken: `${userId}-${n}-${m}`,
        userId,
        expires: m % 4 === 0 ? "2100-01-01 00:00:00" : past,
      }))
      await db.insertInto("Session").values(rows).execute()
      // More rows than one batch have the same first part of their key.
      const tokens = rows.map(({ sessionToken: token, expires: at }) => ({ identifier: userId, token, expires: at }))
      await db.insertInto("VerificationToken").values(tokens).execute()
    }
    await adapter.createSession({ sessionToken: userId, userId, expires })
    const removal = { count: -1 }
    const removing = settle(() => adapter.removeExpired()).then((count) => {
      removal.count = count
    })
    let writes = 0
    for (; removal.count < 0; writes++) {
      await adapter.updateSession({ sessionToken: userId, expires: new Date(expires.getTime() + writes) })
    }
    await removing
    return { userId, writes, count: removal.count }
  }

  it("removes more expired rows than one batch has, no others, and lets others write meanwhile", async () => {
    const db = adapter.db.withTables<AnyDatabase>()
    let removed = await removeWhileWriting(db)
    // On a busy machine, the removal may be over before the first write is.
    for (let tries = 0; tries < 5 && removed.writes < 2; tries++) removed = await removeWhileWriting(db)
    const { userId, writes, count } = removed
    expect(writes).toBeGreaterThan(1)
    expect(count).toBeGreaterThanOrEqual(16_500)
    expect(await adapter.getSessionAndUser(userId)).not.toBeNull()
    for (const table of ["Session", "VerificationToken"]) {
      const left = await db
        .selectFrom(table)
        .select(sql<string | number>`count(*)`.as("c"))
        .where(table === "Session" ? "userId" : "identifier", "=", userId)
        .executeTakeFirst()
      expect(Number(left?.c)).toBe(table === "Session" ? 2_751 : 2_750)
    }
  })

  it("ends more sessions than a statement has parameters", async () => {
    const { id: userId } = await adapter.createUser(sampleUser())
    const db = adapter.db.withTables<AnyDatabase>()
    const at = "2040-01-01 00:00:00"
    const detail = { userId, provider: "harbour", providerAccountId: "1", amr: "pwd" }
    const dates = { createdAt: at, lastSeenAt: at, expires: at }
    for (let n = 0; n < 33; n++) {
      const rows = Array.from({ length: 1_000 }, (_, m) => ({ id: `${userId}-${n}-${m}`, ...detail, ...dates }))
      await db.insertInto("SessionDetail").values(rows).execute()
    }
    expect(await adapter.endSessions?.({ userId })).toBe(33_000)
  }, 60_000)

  it("times out on a locked row, serves other calls meanwhile, and continues once the row is free", async () => {
    const { id, email } = await adapter.createUser(sampleUser())
    const other = openOne({ timeoutMilliseconds: 500 })
    const release = await holdUser(adapter.db.withTables<AnyDatabase>(), id)
    await expect(settle(() => other.updateUser({ id, name: "Ada" }))).rejects.toThrow("did not answer within 500 ms")
    expect(await other.getUserByEmail(email)).toMatchObject({ id })
    await release()
    await expect.poll(() => settle(() => other.updateUser({ id, name: "Ada" })).catch(() => null)).toMatchObject({ id })
    await other.close()
  })

  it("fails while the server is down, loses nothing, and recovers once it is back", async () => {
    const user = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: user.id, userId: user.id, expires })
    const inFlight = Promise.allSettled(
      Array.from({ length: 20 }, () => settle(() => adapter.linkAccount(sampleAccount(user.id)))),
    )
    await server().halt()
    const linked = (await inFlight).filter(({ status }) => status === "fulfilled").length
    const calls = [
      () => adapter.getSessionAndUser(user.id),
      () => adapter.createUser(sampleUser()),
      () => adapter.deleteSession(user.id),
    ]
    for (const call of calls) await expect(settle<unknown>(call)).rejects.toThrow()
    await server().resume()
    expect(await adapter.getSessionAndUser(user.id)).toMatchObject({ session: { expires }, user: { id: user.id } })
    const kept = await adapter.listAccountsByUserId(user.id)
    // Confirmed writes are there; a write whose answer was lost may or may not be.
    expect(kept.length).toBeGreaterThanOrEqual(linked)
    expect(await adapter.deleteSession(user.id)).toMatchObject({ sessionToken: user.id })
  }, 30_000)

  it("migrates tables again whose migration history is lost", async () => {
    const own = open({ prefix: "again_" })
    await own.migrate()
    const user = await own.createUser(sampleUser())
    await sql`delete from ${sql.table("again_latchkey_migration")}`.execute(own.db)
    await sql`alter table ${sql.table("again_Authenticator")} drop column ${sql.ref("name")}, drop column ${sql.ref("lastUsedAt")}`.execute(
      own.db,
    )
    expect(await own.migrate()).toHaveLength(5)
    expect(await own.getUser(user.id)).toMatchObject({ id: user.id })
    expect(await own.migrate("none")).toHaveLength(5)
    await own.close()
  })

  describe("concurrent migrations", () => {
    it("are applied once", async () => {
      const callers = Array.from({ length: 4 }, () => open({ prefix: "raced_" }))
      const applied = await Promise.all(callers.map(async (caller) => (await caller.migrate()).length))
      expect(applied.toSorted()).toEqual([0, 0, 0, 5])
      for (const caller of callers) await caller.close()
    }, 30_000)
  })
}
