import { inspect } from "node:util"
import type { Adapter } from "@latchkey/core/adapters"
import { isUniqueViolation, PrismaAdapter, PrismaFailure } from "@latchkey/prisma-adapter"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { PrismaPg } from "@prisma/adapter-pg"
import { Client, type Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"
import { openPool } from "../theirs/pg-pool.js"

// Neither the process nor the server is in UTC.
process.env["TZ"] = "America/St_Johns"
const settings = { timezone: "Asia/Kolkata" }

const expires = new Date("2040-02-29T23:59:59.987Z")

describe.skipIf(!hasProgram("postgres"))("@latchkey/prisma-adapter in PostgreSQL", () => {
  let server: DatabaseServer
  let operator: Client
  let pool: Pool
  let client: GeneratedClient
  let adapter: Required<Adapter>

  const person = () => {
    const id = crypto.randomUUID()
    return { id, email: `${id}@example.com`, emailVerified: null }
  }
  const account = (userId: string) => ({
    userId,
    type: "oidc" as const,
    provider: "harbour",
    providerAccountId: crypto.randomUUID(),
  })
  const connect = async () => {
    const connection = new Client({ connectionString: server.url })
    connection.on("error", () => undefined)
    await connection.connect()
    return connection
  }

  beforeAll(async () => {
    server = await startPostgres(settings)
    operator = await connect()
    await operator.query(await readTables("postgresql"))
    pool = openPool(server.url)
    client = await openClient("postgresql", new PrismaPg(pool))
    adapter = PrismaAdapter(client) as Required<Adapter> // as: the schema has every model
  }, 60_000)
  afterAll(async () => {
    await client.$disconnect()
    await pool.end()
    await operator.end()
    await server.stop()
  })

  testAdapter({ create: () => ({ adapter }) })
  testFeatures({ name: "the service", create: () => ({ adapter }) })

  it("goes on with a transaction after a write that found its record there already", async () => {
    const user = await adapter.createUser(person())
    const verified = { userId: user.id, email: user.email, provider: "harbour" }
    const lease = { id: crypto.randomUUID(), holder: "one", until: expires }
    await adapter.markEmailVerified(verified)
    await adapter.takeLease(lease)
    const isTaken = await adapter.transaction(async (within) => {
      await within.markEmailVerified?.(verified)
      const isAgain = await within.takeLease?.({ ...lease, holder: "two" })
      await within.updateUser?.({ id: user.id, name: "Ada" })
      return isAgain
    })
    expect([isTaken, (await adapter.getUser(user.id))?.name]).toEqual([false, "Ada"])
  })

  it("finds unique indexes that are missing, short columns for tokens, and columns that take different texts for equal", async () => {
    const { findStoreDefects } = PrismaAdapter(client)
    expect(await findStoreDefects()).toEqual([])
    await operator.query(`delete from "User"`)
    await operator.query(`drop index "User_email_key"`)
    await operator.query("create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    await operator.query(`alter table "User" alter column email type text collate folding`)
    await operator.query(`alter table "Account" alter column access_token type varchar(255)`)
    const found = await findStoreDefects()
    expect(found.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ["index", expect.stringContaining("User has no unique index on email")],
      ["collation", expect.stringContaining("User.email takes texts for equal that differ in")],
      ["column", expect.stringContaining("Account.access_token holds 255 characters")],
    ])
    for (const { statement = "" } of found.toReversed()) await operator.query(statement)
    expect(await findStoreDefects()).toEqual([])
  })

  it("finds the tables and columns of a schema that maps their names", async () => {
    await operator.query("create schema host")
    await operator.query(`set search_path to host; ${await readTables("host-postgresql")}`)
    await operator.query("alter table people drop constraint people_email_key; set search_path to public")
    const own = openPool(server.url, "host")
    const host = await openClient("host-postgresql", new PrismaPg(own))
    const found = await PrismaAdapter(host).findStoreDefects()
    expect(found.map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining("people has no unique index on email"),
    ])
    await host.$disconnect()
    await own.end()
  })

  it.each([
    "1970-01-01T00:00:00.001Z",
    "2025-03-09T06:59:59.999Z",
    "2025-10-26T01:30:00.123Z",
    "9999-12-31T23:59:59.998Z",
  ])("keeps %s, and removes what ended before it, whatever zone anybody is in", async (text) => {
    const instant = new Date(text)
    const { removeExpired } = PrismaAdapter(client)
    const { id } = await adapter.createUser({ ...person(), emailVerified: instant })
    await adapter.createSession({ sessionToken: id, userId: id, expires: instant })
    const found = await adapter.getSessionAndUser(id)
    expect(found).toMatchObject({ session: { expires: instant }, user: { emailVerified: instant } })
    await removeExpired(instant)
    expect(await adapter.getSessionAndUser(id)).not.toBeNull()
    await removeExpired(new Date(instant.getTime() + 1))
    expect(await adapter.getSessionAndUser(id)).toBeNull()
  })

  it("distinguishes unique violations from other errors", async () => {
    const user = await adapter.createUser(person())
    const taken = await failureOf(() => adapter.createUser({ ...person(), email: user.email }))
    expect([taken instanceof PrismaFailure, isUniqueViolation(taken)]).toEqual([true, true])
    const ownerless = await failureOf(() => adapter.linkAccount(account("nobody")))
    expect([ownerless instanceof PrismaFailure, isUniqueViolation(ownerless)]).toEqual([true, false])
  })

  it("LOG-02: reports database errors without tokens and addresses", async () => {
    const user = await adapter.createUser(person())
    const sessionToken = `secret-${user.id}`
    await adapter.createSession({ sessionToken, userId: user.id, expires })
    const calls = [
      () => adapter.createSession({ sessionToken, userId: user.id, expires }),
      () => adapter.createSession({ sessionToken: `${sessionToken}2`, userId: "secret-nobody", expires }),
      () => adapter.createUser({ ...person(), email: user.email, name: "secret-name" }),
      () => adapter.updateUser({ id: user.id, name: "secret\0name" }),
      () => adapter.linkAccount({ ...account(user.id), access_token: "secret\0access" }),
    ]
    for (const call of calls) {
      const said = inspect(await failureOf(call), { depth: 9, showHidden: true })
      expect(said).toContain("PrismaFailure")
      expect(said).not.toMatch(/secret/)
      expect(said).not.toContain(user.email)
    }
  })

  it("ADP-13: finds nothing by values that only a lenient collation considers equal", async () => {
    await operator.query("create collation lenient (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    await operator.query(`alter table "Session" alter column "sessionToken" type text collate lenient`)
    const { id } = await adapter.createUser(person())
    await adapter.createSession({ sessionToken: `${id}-token`, userId: id, expires })
    expect(await adapter.getSessionAndUser(`${id}-TOKEN`)).toBeNull()
    expect(await adapter.deleteSession(`${id}-TOKEN`)).toBeNull()
    expect(await adapter.updateSession({ sessionToken: `${id}-TOKEN`, expires: new Date(0) })).toBeNull()
    expect(await adapter.getSessionAndUser(`${id}-token`)).toMatchObject({ session: { expires }, user: { id } })
    await operator.query(`alter table "Session" alter column "sessionToken" type text collate "default"`)
  })

  it("works in a transaction of the app, which may roll back", async () => {
    const proposed = person()
    const undone = client.$transaction(async (transaction) => {
      const within = PrismaAdapter(transaction)
      const { id } = await within.createUser(proposed)
      await within.linkAccount(account(id))
      expect(await within.getUserByEmail(proposed.email)).toMatchObject({ id })
      throw new Error("rolled back")
    })
    await expect(undone).rejects.toThrow("rolled back")
    expect(await adapter.getUserByEmail(proposed.email)).toBeNull()
  })

  it("reports a locked row in time, serves other queries meanwhile, and continues after the lock", async () => {
    const { id, email } = await adapter.createUser(person())
    const impatient = PrismaAdapter(client, { timeoutMilliseconds: 500 })
    const other = await connect()
    await other.query("begin")
    await other.query(`update "User" set name = 'held' where id = $1`, [id])
    await expect(impatient.updateUser({ id, name: "Ada" })).rejects.toThrow("Prisma: no answer within 500 ms")
    expect(await adapter.getUserByEmail(email)).toMatchObject({ id })
    await other.query("rollback")
    await other.end()
    expect(await adapter.updateUser({ id, name: "Ada L." })).toMatchObject({ id, name: "Ada L." })
  })

  it("reports in time that no connection is free for a transaction, and never begins its work", async () => {
    const own = openPool(server.url)
    own.options.max = 1
    const taken = await own.connect()
    const other = await openClient("postgresql", new PrismaPg(own))
    const impatient = PrismaAdapter(other, { timeoutMilliseconds: 500 })
    const begun: string[] = []
    const work = async () => void begun.push("begun")
    for (const call of [() => impatient.endSessions?.({ userId: "ada" }), () => impatient.transaction?.(work)]) {
      const failure = await failureOf(call)
      expect(failure).toBeInstanceOf(PrismaFailure)
      expect(String(failure)).toMatch(/no answer within 500 ms|Unable to start a transaction/)
    }
    taken.release()
    expect(await impatient.getUser("ada")).toBeNull()
    expect(begun).toEqual([])
    await other.$disconnect()
    await own.end()
  })

  it("rejects with the error that the work in a transaction throws", async () => {
    const error = Object.assign(new Error("of the app"), { code: "APP" })
    const work = () => {
      throw error
    }
    expect(await failureOf(() => adapter.transaction(work))).toBe(error)
    const { email } = await adapter.createUser(person())
    const taken = await failureOf(() =>
      adapter.transaction(async (within) => await within.createUser?.({ ...person(), email })),
    )
    expect([taken instanceof PrismaFailure, isUniqueViolation(taken)]).toEqual([true, true])
  })

  it("reports a lost server, loses no confirmed write, and recovers", async () => {
    const user = await adapter.createUser(person())
    await adapter.createSession({ sessionToken: user.id, userId: user.id, expires })
    const inFlight = Promise.allSettled(
      Array.from({ length: 20 }, async () => await adapter.linkAccount(account(user.id))),
    )
    await server.halt()
    const linked = (await inFlight).filter(({ status }) => status === "fulfilled").length
    const calls = [
      () => adapter.getSessionAndUser(user.id),
      () => adapter.createUser(person()),
      () => adapter.deleteSession(user.id),
      () => adapter.endSessions({ userId: user.id }),
      () => adapter.transaction(async () => null),
    ]
    for (const call of calls) expect(await failureOf(call)).toBeInstanceOf(PrismaFailure)
    await server.resume()
    await expect.poll(async () => await failureOf(() => adapter.getUser(user.id)), { timeout: 10_000 }).toBeNull()
    expect(await adapter.getSessionAndUser(user.id)).toMatchObject({ session: { expires }, user: { id: user.id } })
    // Confirmed writes exist. A write whose confirmation was lost may exist or not.
    expect((await adapter.listAccountsByUserId(user.id)).length).toBeGreaterThanOrEqual(linked)
    expect(await adapter.deleteSession(user.id)).toMatchObject({ sessionToken: user.id })
  }, 40_000)
})

async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return null
  } catch (error) {
    return error
  }
}
