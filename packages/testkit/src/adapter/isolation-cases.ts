import { expect } from "vitest"
import {
  type AdapterCase,
  expectNothing,
  expectRecord,
  keyOfAccount,
  keyOfToken,
  sampleAccount,
  sampleAuthenticator,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** A callback of the host may write to what it is given; the store must not hear of it. */
export const isolationCases: readonly AdapterCase[] = [
  {
    claim: "ADP-12: is not changed by changing a user it was given or gave",
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
    claim: "ADP-12: is not changed by changing a session it was given or gave",
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
    claim: "ADP-12: is not changed by changing an account it was given or gave",
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
    claim: "ADP-12: is not changed by changing a list of authenticators it gave",
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

/** Writes to every field, and into dates. Records that cannot be written to are as good. */
function spoil(record: unknown): void {
  if (typeof record !== "object" || record === null || Object.isFrozen(record)) return
  for (const [field, value] of Object.entries(record)) {
    if (value instanceof Date) value.setTime(0)
    Reflect.set(record, field, "spoiled")
  }
}

const farAway = new Date("2040-01-01T00:00:00.000Z")

/** All callers at once. What each was given, and how many were refused. */
async function together<T>(
  callers: number,
  call: (index: number) => PromiseLike<T> | T,
): Promise<{ readonly given: readonly T[]; readonly refused: number }> {
  const outcomes = await Promise.allSettled(Array.from({ length: callers }, async (_, index) => await call(index)))
  const given = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  return { given, refused: callers - given.length }
}

const once: readonly AdapterCase[] = [
  {
    claim: "ADP-04: gives a verification token to exactly one of many callers",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter, callers) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      const { given } = await together(callers, () => adapter.useVerificationToken(keyOfToken(token)))
      const winners = given.filter((one) => one !== null && one !== undefined)
      expect(winners).toHaveLength(1)
      expectRecord(winners[0], token)
    },
  },
  {
    claim: "ADP-05: creates one user when many callers bring the same email",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter, callers) {
      const { email } = sampleUser()
      const { given, refused } = await together(callers, () => adapter.createUser(sampleUser({ email })))
      expect(given).toHaveLength(1)
      expect(refused).toBe(callers - 1)
      expectRecord(await adapter.getUserByEmail(email), { id: given[0]?.id })
    },
  },
  {
    claim: "ADP-06: links an account once when many callers of two users link it",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async run(adapter, callers) {
      const users = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const account = sampleAccount("")
      const { given } = await together(callers, async (index) => {
        const userId = users[index % 2]?.id ?? ""
        await adapter.linkAccount({ ...account, userId })
        return userId
      })
      expect(given).toHaveLength(1)
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: given[0] })
    },
  },
  {
    claim: "creates one session when many callers bring the same token",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const session = sampleSession(id)
      const { given } = await together(callers, () => adapter.createSession(session))
      expect(given).toHaveLength(1)
      expectRecord((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
    },
  },
  {
    claim: "creates one authenticator when many callers bring the same credential id",
    needs: ["createUser", "createAuthenticator", "listAuthenticatorsByUserId"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleAuthenticator(id)
      const { given } = await together(callers, () => adapter.createAuthenticator(sample))
      expect(given).toHaveLength(1)
      expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(1)
    },
  },
]

const spending: readonly AdapterCase[] = [
  {
    claim: "lets exactly one of many callers spend an id",
    needs: ["consumeOnce"],
    async run(adapter, callers) {
      const id = unique("spent")
      const { given, refused } = await together(callers, () => adapter.consumeOnce(id, farAway))
      expect(refused).toBe(0)
      expect(given.filter((isFirst) => isFirst)).toEqual([true])
      expect(await adapter.consumeOnce(id, farAway)).toBe(false)
    },
  },
  {
    claim: "spends each of many ids",
    needs: ["consumeOnce"],
    async run(adapter, callers) {
      const { given } = await together(callers, () => adapter.consumeOnce(unique("spent"), farAway))
      expect(given.filter((isFirst) => isFirst)).toHaveLength(callers)
    },
  },
]

const vouching: readonly AdapterCase[] = [
  {
    claim: "lets many callers prove one address at once",
    needs: ["createUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter, callers) {
      const user = await adapter.createUser(sampleUser())
      const vouched = { userId: user.id, email: user.email, provider: "harbour" }
      const { refused } = await together(callers, async () => await adapter.markEmailVerified(vouched))
      expect([refused, await adapter.isEmailVerified(user)]).toEqual([0, true])
    },
  },
]

const consistent: readonly AdapterCase[] = [
  {
    claim: "ADP-07: never brings a deleted session back, however many callers extend it meanwhile",
    needs: ["createUser", "createSession", "updateSession", "deleteSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { sessionToken } = await adapter.createSession(sampleSession(id))
      const expires = new Date("2037-01-01T00:00:00.000Z")
      await together(callers, async (index) => {
        if (index === Math.floor(callers / 2)) await adapter.deleteSession(sessionToken)
        else await adapter.updateSession({ sessionToken, expires })
      })
      expectNothing(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "lets many callers delete one session without an error",
    needs: ["createUser", "createSession", "deleteSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { sessionToken } = await adapter.createSession(sampleSession(id))
      const { refused } = await together(callers, async () => await adapter.deleteSession(sessionToken))
      expect(refused).toBe(0)
      expectNothing(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "ADP-08: keeps the largest counter that many callers bring in any order",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter", "getAuthenticator"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(id))
      const largest = callers * 7
      await together(callers, (index) =>
        adapter.updateAuthenticatorCounter(credentialID, largest - ((index * 7) % largest)),
      )
      expectRecord(await adapter.getAuthenticator(credentialID), { counter: largest })
    },
  },
  {
    claim: "keeps every one of many sessions that are created at once",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      const { given, refused } = await together(callers, () => adapter.createSession(sampleSession(id)))
      expect(refused).toBe(0)
      const found = await Promise.all(
        given.map(async ({ sessionToken }) => await adapter.getSessionAndUser(sessionToken)),
      )
      expect(found.map((one) => one?.user.id)).toEqual(given.map(() => id))
    },
  },
]

export const parallelCases: readonly AdapterCase[] = [...once, ...spending, ...vouching, ...consistent]
