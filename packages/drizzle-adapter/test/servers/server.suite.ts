import { inspect } from "node:util"
import { DatabaseFailure, type DrizzleAdapter, isUniqueViolation } from "@latchkey/drizzle-adapter"
import type { DatabaseServer } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleUser } from "../fixtures.js"

/** An adapter with its own pool. */
export interface OpenAdapter {
  readonly adapter: DrizzleAdapter
  close(): Promise<void>
}

/** A database server with all tables, and how the tests access it. */
export interface ServerUnderTest {
  readonly server: () => DatabaseServer
  open(timeoutMilliseconds: number): OpenAdapter
  /** An adapter whose pool has no connection left until it is closed. */
  openExhausted(timeoutMilliseconds: number): Promise<OpenAdapter>
  /** Locks the row of the user with this id. Returns a function that releases the lock. */
  holdUser(id: string): Promise<() => Promise<void>>
  /** Statements that take the unique index of addresses away, shorten a column for tokens, and let that of addresses fold case. */
  readonly spoiling: readonly string[]
  spoil(statements: readonly string[]): Promise<void>
}

/** The cases that need a real server, in addition to the shared suite. */
export function testServer({ server, open, openExhausted, holdUser, spoiling, spoil }: ServerUnderTest): void {
  let adapter: DrizzleAdapter
  let close: () => Promise<void>
  beforeAll(() => {
    const opened = open(5000)
    adapter = opened.adapter
    close = opened.close
  })
  afterAll(async () => await close())

  it("distinguishes a unique violation from other errors", async () => {
    const user = await adapter.createUser(sampleUser())
    const taken = await failureOf(() => adapter.createUser(sampleUser({ email: user.email })))
    expect([taken instanceof DatabaseFailure, isUniqueViolation(taken)]).toEqual([true, true])
    const ownerless = await failureOf(() => adapter.linkAccount(sampleAccount(crypto.randomUUID())))
    expect([ownerless instanceof DatabaseFailure, isUniqueViolation(ownerless)]).toEqual([true, false])
  })

  it("finds unique indexes that are missing, short columns for tokens, and columns that take different texts for equal", async () => {
    expect(await adapter.findStoreDefects()).toEqual([])
    await spoil(spoiling)
    const found = await adapter.findStoreDefects()
    expect(found.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ["index", expect.stringContaining("user has no unique index on email")],
      ["collation", expect.stringContaining("user.email takes texts for equal that differ in")],
      ["column", expect.stringContaining("account.access_token holds 255 characters")],
    ])
    await spoil(found.toReversed().map(({ statement = "" }) => statement))
    expect(await adapter.findStoreDefects()).toEqual([])
  })

  it("LOG-02: logs neither tokens nor emails when the database rejects a statement", async () => {
    const user = await adapter.createUser(sampleUser())
    const sessionToken = `secret-${crypto.randomUUID()}`
    const account = sampleAccount(user.id, { access_token: "secret-access", providerAccountId: "secret-subject" })
    await adapter.createSession({ sessionToken, userId: user.id, expires })
    await adapter.linkAccount(account)
    const calls = [
      () => adapter.createSession({ sessionToken, userId: user.id, expires }),
      () => adapter.createUser(sampleUser({ email: user.email, name: "secret-name" })),
      () => adapter.linkAccount(account),
      () => adapter.createSession({ sessionToken: `${sessionToken}2`, userId: "secret-nobody", expires }),
    ]
    for (const call of calls) {
      const said = inspect(await failureOf(call), { depth: 9, showHidden: true })
      expect(said).toContain("DatabaseFailure")
      expect(said).not.toMatch(/secret/)
      expect(said).not.toContain(user.email)
    }
  })

  it("stores the longest credential ids, and distinguishes them by their last byte", async () => {
    const { id } = await adapter.createUser(sampleUser())
    const credentialID = Buffer.from(crypto.getRandomValues(new Uint8Array(1023))).toString("base64")
    const other = `${credentialID.slice(0, -1)}${credentialID.endsWith("A") ? "B" : "A"}`
    for (const providerAccountId of [credentialID, other]) {
      await adapter.linkAccount(sampleAccount(id, { provider: "passkey", providerAccountId }))
    }
    expect(await adapter.getAccount(other, "passkey")).toMatchObject({ providerAccountId: other })
  })

  it("rejects a key with a lone surrogate, and finds nothing by it", async () => {
    const { id } = await adapter.createUser(sampleUser())
    await adapter.linkAccount(sampleAccount(id, { providerAccountId: "\ufffd" }))
    for (const providerAccountId of ["\ud800", "\udfff"]) {
      expect(await adapter.getAccount(providerAccountId, "harbour")).toBeNull()
      const linked = adapter.linkAccount(sampleAccount(id, { providerAccountId }))
      await expect(linked).rejects.toThrow("providerAccountId must be a key that its column can hold")
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
  ])("stores %s exactly, and removes rows that expired before it, in any time zone", async (text) => {
    const instant = new Date(text)
    const { id } = await adapter.createUser(sampleUser({ emailVerified: instant }))
    await adapter.createSession({ sessionToken: id, userId: id, expires: instant })
    const found = await adapter.getSessionAndUser(id)
    expect(found).toMatchObject({ session: { expires: instant }, user: { emailVerified: instant } })
    await adapter.removeExpired(instant)
    expect(await adapter.getSessionAndUser(id)).not.toBeNull()
    await adapter.removeExpired(new Date(instant.getTime() + 1))
    expect(await adapter.getSessionAndUser(id)).toBeNull()
  })

  it("removes more expired rows than one batch has, and no others", async () => {
    const instant = new Date("1980-01-01T00:00:00.000Z")
    const [past, later] = [-1, 1].map((offset) => new Date(instant.getTime() + offset))
    const identifier = crypto.randomUUID()
    const create = async (n: number) => {
      const expires = (n % 4 === 0 ? later : past) as Date // as: there are two
      await adapter.createVerificationToken({ identifier, token: `${n}`, expires })
      await adapter.consumeOnce?.(`${identifier}-${n}`, expires)
    }
    for (let n = 0; n < 2_400; n += 20) await Promise.all(Array.from({ length: 20 }, (_, m) => create(n + m)))
    expect(await adapter.removeExpired(instant)).toBe(3_600)
    expect(await adapter.removeExpired(instant)).toBe(0)
    expect(await adapter.useVerificationToken({ identifier, token: "2396" })).not.toBeNull()
    expect(await adapter.removeExpired(new Date(instant.getTime() + 2))).toBe(1_199)
  }, 60_000)

  it("times out on a locked row, serves other calls meanwhile, and continues once the row is free", async () => {
    const { id, email } = await adapter.createUser(sampleUser())
    const impatient = open(500)
    const release = await holdUser(id)
    await expect(impatient.adapter.updateUser({ id, name: "Ada" })).rejects.toThrow("Drizzle: no answer within 500 ms")
    expect(await impatient.adapter.getUserByEmail(email)).toMatchObject({ id })
    await release()
    expect(await adapter.updateUser({ id, name: "Ada L." })).toMatchObject({ id, name: "Ada L." })
    await impatient.close()
  })

  it("times out when no connection is free for a transaction", async () => {
    const exhausted = await openExhausted(500)
    const message = "Drizzle: no answer within 500 ms"
    await expect(exhausted.adapter.endSessions?.({ userId: "ada" })).rejects.toThrow(message)
    await expect(exhausted.adapter.transaction?.(async () => null)).rejects.toThrow(message)
    await exhausted.close()
  })

  it("rejects with the error that the work in a transaction throws", async () => {
    const error = Object.assign(new Error("of the app"), { code: "APP" })
    const failure = await failureOf(
      async () =>
        await adapter.transaction?.(() => {
          throw error
        }),
    )
    expect(failure).toBe(error)
    const { email } = await adapter.createUser(sampleUser())
    const taken = await failureOf(
      async () => await adapter.transaction?.(async (within) => await within.createUser?.(sampleUser({ email }))),
    )
    expect([taken instanceof DatabaseFailure, isUniqueViolation(taken)]).toEqual([true, true])
  })

  it("fails while the server is down, loses nothing, and recovers once it is back", async () => {
    const user = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: user.id, userId: user.id, expires })
    const inFlight = Promise.allSettled(Array.from({ length: 20 }, () => adapter.linkAccount(sampleAccount(user.id))))
    await server().halt()
    const linked = (await inFlight).filter(({ status }) => status === "fulfilled").length
    const calls = [
      () => adapter.getSessionAndUser(user.id),
      () => adapter.createUser(sampleUser()),
      () => adapter.deleteSession(user.id),
      async () => await adapter.endSessions?.({ userId: user.id }),
      async () => await adapter.transaction?.(async () => null),
    ]
    for (const call of calls) expect(await failureOf(call)).toBeInstanceOf(DatabaseFailure)
    await server().resume()
    expect(await adapter.getSessionAndUser(user.id)).toMatchObject({ session: { expires }, user: { id: user.id } })
    const kept = await adapter.listAccountsByUserId(user.id)
    // Confirmed writes are there; a write whose answer was lost may or may not be.
    expect(kept.length).toBeGreaterThanOrEqual(linked)
    expect(await adapter.deleteSession(user.id)).toMatchObject({ sessionToken: user.id })
  }, 30_000)

  describe("a row that many callers delete at once", () => {
    it("is returned to exactly one of them", async () => {
      const { id } = await adapter.createUser(sampleUser())
      await adapter.createSession({ sessionToken: id, userId: id, expires })
      const deleted = await Promise.all(Array.from({ length: 20 }, () => adapter.deleteSession(id)))
      expect(deleted.filter((session) => session !== null)).toHaveLength(1)
    })
  })
}

async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  return await call().then(
    () => null,
    (error: unknown) => error,
  )
}
