import { inspect } from "node:util"
import { DatabaseFailure, type DrizzleAdapter, isUniqueViolation } from "@latchkey/drizzle-adapter"
import type { DatabaseServer } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleUser } from "./samples.js"

/** An adapter over a pool of its own. */
export interface OpenAdapter {
  readonly adapter: DrizzleAdapter
  close(): Promise<void>
}

/** A database server with all tables, and how the tests get at it. */
export interface ServerUnderTest {
  readonly server: () => DatabaseServer
  open(timeoutMilliseconds: number): OpenAdapter
  /** Holds a lock on the row of a user with this id, for as long as the work goes on. */
  holdUser(id: string): Promise<() => Promise<void>>
}

/** What is to be seen on a server alone, beside the shared suite. */
export function testServer({ server, open, holdUser }: ServerUnderTest): void {
  let adapter: DrizzleAdapter
  let close: () => Promise<void>
  beforeAll(() => {
    const opened = open(5000)
    adapter = opened.adapter
    close = opened.close
  })
  afterAll(async () => await close())

  it("tells a unique value that is taken from every other error", async () => {
    const user = await adapter.createUser(sampleUser())
    const taken = await failureOf(() => adapter.createUser(sampleUser({ email: user.email })))
    expect([taken instanceof DatabaseFailure, isUniqueViolation(taken)]).toEqual([true, true])
    const ownerless = await failureOf(() => adapter.linkAccount(sampleAccount(crypto.randomUUID())))
    expect([ownerless instanceof DatabaseFailure, isUniqueViolation(ownerless)]).toEqual([true, false])
  })

  it("LOG-02: says of what a database refuses neither tokens nor addresses", async () => {
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

  it("keeps the longest credential ids, and tells them apart at their last byte", async () => {
    const { id } = await adapter.createUser(sampleUser())
    const credentialID = Buffer.from(crypto.getRandomValues(new Uint8Array(1023))).toString("base64")
    const other = `${credentialID.slice(0, -1)}${credentialID.endsWith("A") ? "B" : "A"}`
    for (const providerAccountId of [credentialID, other]) {
      await adapter.linkAccount(sampleAccount(id, { provider: "passkey", providerAccountId }))
    }
    expect(await adapter.getAccount(other, "passkey")).toMatchObject({ providerAccountId: other })
  })

  it("refuses a key with half a character, and finds nothing by it", async () => {
    const { id } = await adapter.createUser(sampleUser())
    await adapter.linkAccount(sampleAccount(id, { providerAccountId: "\ufffd" }))
    for (const providerAccountId of ["\ud800", "\udfff"]) {
      expect(await adapter.getAccount(providerAccountId, "harbour")).toBeNull()
      const linked = adapter.linkAccount(sampleAccount(id, { providerAccountId }))
      await expect(linked).rejects.toThrow("providerAccountId must be a key that its column can hold")
    }
  })

  it("ADP-13: keeps what only looks alike beside one another, key for key", async () => {
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
  ])("keeps %s, and removes what ended before it, whatever zone anybody is in", async (text) => {
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

  it("says in time that a row is locked, does other things meanwhile, and goes on when it is free again", async () => {
    const { id, email } = await adapter.createUser(sampleUser())
    const impatient = open(500)
    const release = await holdUser(id)
    await expect(impatient.adapter.updateUser({ id, name: "Ada" })).rejects.toThrow("Drizzle: no answer within 500 ms")
    expect(await impatient.adapter.getUserByEmail(email)).toMatchObject({ id })
    await release()
    expect(await adapter.updateUser({ id, name: "Ada L." })).toMatchObject({ id, name: "Ada L." })
    await impatient.close()
  })

  it("says that the server is gone, loses nothing, and works again when it is back", async () => {
    const user = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: user.id, userId: user.id, expires })
    const inFlight = Promise.allSettled(Array.from({ length: 20 }, () => adapter.linkAccount(sampleAccount(user.id))))
    await server().halt()
    const linked = (await inFlight).filter(({ status }) => status === "fulfilled").length
    const calls = [
      () => adapter.getSessionAndUser(user.id),
      () => adapter.createUser(sampleUser()),
      () => adapter.deleteSession(user.id),
    ]
    for (const call of calls) expect(await failureOf(call)).toBeInstanceOf(DatabaseFailure)
    await server().resume()
    expect(await adapter.getSessionAndUser(user.id)).toMatchObject({ session: { expires }, user: { id: user.id } })
    const kept = await adapter.listAccountsByUserId(user.id)
    // What was confirmed is there; of what failed on its way back nobody knows.
    expect(kept.length).toBeGreaterThanOrEqual(linked)
    expect(await adapter.deleteSession(user.id)).toMatchObject({ sessionToken: user.id })
  }, 30_000)

  describe("a deletion that many callers ask for", () => {
    it("is told to one of them", async () => {
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
