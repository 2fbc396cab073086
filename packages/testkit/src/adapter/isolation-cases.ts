import { expect } from "vitest"
import type { AdapterCase } from "./adapter-case.js"
import { expectRecord } from "./expectations.js"
import { sampleAccount, sampleAuthenticator, sampleSession, sampleUser } from "./samples.js"

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
