import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  keyOfAccount,
  keyOfToken,
  runConcurrently,
  sampleAccount,
  sampleAuthenticator,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** Host callbacks can change the records that they receive. The store must not be affected. */
export const isolationCases: readonly AdapterCase[] = [
  {
    claim: "ADP-12: stores a copy of a user, and returns copies",
    needs: ["createUser", "getUser"],
    async run(adapter) {
      const given = sampleUser({ emailVerified: new Date("2026-01-01T00:00:00.000Z") })
      const expected = structuredClone(given)
      const created = await adapter.createUser(given)
      expected.id = created.id
      const found = await adapter.getUser(created.id)
      for (const user of [given, created, found]) spoil(user)
      expectRecord(await adapter.getUser(expected.id), expected)
    },
  },
  {
    claim: "ADP-12: stores a copy of a session, and returns copies",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const given = sampleSession(id)
      const expected = structuredClone(given)
      const created = await adapter.createSession(given)
      const found = await adapter.getSessionAndUser(expected.sessionToken)
      for (const record of [given, created, found?.session, found?.user]) spoil(record)
      expectRecord((await adapter.getSessionAndUser(expected.sessionToken))?.session, expected)
    },
  },
  {
    claim: "ADP-12: stores a copy of an account, and returns copies",
    needs: ["createUser", "linkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const given = sampleAccount(id)
      const expected = structuredClone(given)
      spoil(await adapter.linkAccount(given))
      spoil(given)
      spoil(await adapter.getAccount(expected.providerAccountId, expected.provider))
      expectRecord(await adapter.getAccount(expected.providerAccountId, expected.provider), expected)
    },
  },
  {
    claim: "ADP-12: returns a copy of the list of authenticators",
    needs: ["createUser", "createAuthenticator", "listAuthenticatorsByUserId"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleAuthenticator(id)
      await adapter.createAuthenticator(sample)
      const list = await adapter.listAuthenticatorsByUserId(id)
      for (const one of list) spoil(one)
      list.length = 0
      const again = await adapter.listAuthenticatorsByUserId(id)
      expect(again).toHaveLength(1)
      expectRecord(again[0], sample)
    },
  },
]

/** Overwrites every field and date. A frozen record is as good as a copy. */
function spoil(record: unknown): void {
  if (typeof record !== "object" || record === null || Object.isFrozen(record)) return
  for (const [field, value] of Object.entries(record)) {
    if (value instanceof Date) value.setTime(0)
    Reflect.set(record, field, "spoiled")
  }
}

const farFuture = new Date("2040-01-01T00:00:00.000Z")

const once: readonly AdapterCase[] = [
  {
    claim: "ADP-04: returns a verification token to exactly one of many concurrent callers",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter, callers) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      const { results } = await runConcurrently(callers, () => adapter.useVerificationToken(keyOfToken(token)))
      const winners = results.filter((one) => one !== null && one !== undefined)
      expect(winners).toHaveLength(1)
      expectRecord(winners[0], token)
    },
  },
  {
    claim: "ADP-05: creates one user when many concurrent callers use the same email",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter, callers) {
      const { email } = sampleUser()
      const { results, failures } = await runConcurrently(callers, () => adapter.createUser(sampleUser({ email })))
      expect(results).toHaveLength(1)
      expect(failures).toBe(callers - 1)
      expectRecord(await adapter.getUserByEmail(email), { id: results[0]?.id })
    },
  },
  {
    claim: "ADP-06: links an account once when concurrent callers link it to two users",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async run(adapter, callers) {
      const users = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const account = sampleAccount("")
      const { results } = await runConcurrently(callers, async (index) => {
        const userId = users[index % 2]?.id ?? ""
        await adapter.linkAccount({ ...account, userId })
        return userId
      })
      expect(results).toHaveLength(1)
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: results[0] })
    },
  },
  {
    claim: "creates one session when many concurrent callers use the same token",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const session = sampleSession(id)
      const { results } = await runConcurrently(callers, () => adapter.createSession(session))
      expect(results).toHaveLength(1)
      expectRecord((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
    },
  },
  {
    claim: "creates one authenticator when many concurrent callers use the same credential id",
    needs: ["createUser", "createAuthenticator", "listAuthenticatorsByUserId"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleAuthenticator(id)
      const { results } = await runConcurrently(callers, () => adapter.createAuthenticator(sample))
      expect(results).toHaveLength(1)
      expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(1)
    },
  },
]

const consuming: readonly AdapterCase[] = [
  {
    claim: "consumes an id for exactly one of many concurrent callers",
    needs: ["consumeOnce"],
    async run(adapter, callers) {
      const id = unique("consumed")
      const { results, failures } = await runConcurrently(callers, () => adapter.consumeOnce(id, farFuture))
      expect(failures).toBe(0)
      expect(results.filter((isFirst) => isFirst)).toEqual([true])
      expect(await adapter.consumeOnce(id, farFuture)).toBe(false)
    },
  },
  {
    claim: "consumes each of many ids",
    needs: ["consumeOnce"],
    async run(adapter, callers) {
      const { results } = await runConcurrently(callers, () => adapter.consumeOnce(unique("consumed"), farFuture))
      expect(results.filter((isFirst) => isFirst)).toHaveLength(callers)
    },
  },
]

const verifying: readonly AdapterCase[] = [
  {
    claim: "lets many concurrent callers mark one email as verified",
    needs: ["createUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter, callers) {
      const user = await adapter.createUser(sampleUser())
      const verified = { userId: user.id, email: user.email, provider: "harbour" }
      const { failures } = await runConcurrently(callers, async () => await adapter.markEmailVerified(verified))
      expect([failures, await adapter.isEmailVerified(user)]).toEqual([0, true])
    },
  },
]

const consistent: readonly AdapterCase[] = [
  {
    claim: "ADP-07: does not restore a deleted session that many concurrent callers update",
    needs: ["createUser", "createSession", "updateSession", "deleteSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { sessionToken } = await adapter.createSession(sampleSession(id))
      const expires = new Date("2037-01-01T00:00:00.000Z")
      await runConcurrently(callers, async (index) => {
        if (index === Math.floor(callers / 2)) await adapter.deleteSession(sessionToken)
        else await adapter.updateSession({ sessionToken, expires })
      })
      expectNull(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "lets many concurrent callers delete one session without an error",
    needs: ["createUser", "createSession", "deleteSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { sessionToken } = await adapter.createSession(sampleSession(id))
      const { failures } = await runConcurrently(callers, async () => await adapter.deleteSession(sessionToken))
      expect(failures).toBe(0)
      expectNull(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "ADP-08: keeps the largest counter of many concurrent callers in any order",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter", "getAuthenticator"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id))
      const largest = callers * 7
      await runConcurrently(callers, (index) =>
        adapter.updateAuthenticatorCounter(credentialID, largest - ((index * 7) % largest)),
      )
      expectRecord(await adapter.getAuthenticator(credentialID), { counter: largest })
    },
  },
  {
    claim: "stores every one of many sessions created concurrently",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { results, failures } = await runConcurrently(callers, () => adapter.createSession(sampleSession(id)))
      expect(failures).toBe(0)
      const found = await Promise.all(
        results.map(async ({ sessionToken }) => await adapter.getSessionAndUser(sessionToken)),
      )
      expect(found.map((one) => one?.user.id)).toEqual(results.map(() => id))
    },
  },
]

/** Promises about concurrent callers. */
export const parallelCases: readonly AdapterCase[] = [...once, ...consuming, ...verifying, ...consistent]
