import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  keyOfToken,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** Promises about sessions. */
export const sessionCases: readonly AdapterCase[] = [
  {
    claim: "returns null for an unknown session token",
    needs: ["getSessionAndUser"],
    run: async (adapter) => expectNull(await adapter.getSessionAndUser(unique("session"))),
  },
  {
    claim: "DBS-06: returns null for a session token of 8 KB",
    needs: ["getSessionAndUser"],
    run: async (adapter) => expectNull(await adapter.getSessionAndUser("x".repeat(8192))),
  },
  {
    claim: "DBS-02: rejects a second session with the same token, and keeps the first",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const { sessionToken } = await adapter.createSession(sampleSession(ada.id))
      await expectRejection(() => adapter.createSession(sampleSession(ben.id, { sessionToken })))
      expectRecord((await adapter.getSessionAndUser(sessionToken))?.user, { id: ada.id })
    },
  },
  {
    claim: "finds a session with its user, with every field of both",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser({ emailVerified: new Date("2026-06-07T08:09:10.011Z") }))
      const other = await adapter.createUser(sampleUser())
      const sample = sampleSession(user.id)
      expectRecord(await adapter.createSession(sample), sample)
      await adapter.createSession(sampleSession(other.id))
      const found = await adapter.getSessionAndUser(sample.sessionToken)
      expectRecord(found?.session, sample)
      expectRecord(found?.user, user)
    },
  },
  {
    claim: "stores a session that expires after 2038",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleSession(id, { expires: new Date("2040-02-29T23:59:59.987Z") })
      await adapter.createSession(sample)
      expectRecord((await adapter.getSessionAndUser(sample.sessionToken))?.session, sample)
    },
  },
  {
    claim: "stores several sessions of one user",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const sessions = [sampleSession(user.id), sampleSession(user.id)]
      for (const session of sessions) await adapter.createSession(session)
      for (const session of sessions) {
        expectRecord((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
      }
    },
  },
  {
    claim: "ADP-07: creates no session when updating an unknown one",
    needs: ["updateSession", "getSessionAndUser"],
    async run(adapter) {
      const sessionToken = unique("session")
      expectNull(await adapter.updateSession({ sessionToken, expires: new Date("2037-01-01T00:00:00.000Z") }))
      expectNull(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "updates the expiry of one session only, to the millisecond",
    needs: ["createUser", "createSession", "updateSession", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [changed, kept] = [sampleSession(id), sampleSession(id)]
      for (const session of [changed, kept]) await adapter.createSession(session)
      const expires = new Date("2037-03-29T01:30:00.321Z")
      await adapter.updateSession({ sessionToken: changed.sessionToken, expires })
      expect((await adapter.getSessionAndUser(changed.sessionToken))?.session.expires).toEqual(expires)
      expectRecord((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
    },
  },
  {
    claim: "deletes one session and no other",
    needs: ["createUser", "createSession", "deleteSession", "getSessionAndUser", "getUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleSession(user.id), sampleSession(user.id)]
      for (const session of [gone, kept]) await adapter.createSession(session)
      const deleted = await adapter.deleteSession(gone.sessionToken)
      if (deleted) expectRecord(deleted, gone)
      expectNull(await adapter.getSessionAndUser(gone.sessionToken))
      expectRecord((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
      expectRecord(await adapter.getUser(user.id), user)
    },
  },
  {
    claim: "deletes an unknown session without an error",
    needs: ["deleteSession"],
    run: async (adapter) => expectNull(await adapter.deleteSession(unique("session"))),
  },
]

/** Promises about verification tokens. */
export const tokenCases: readonly AdapterCase[] = [
  {
    claim: "returns null for a verification token that was never created",
    needs: ["useVerificationToken"],
    run: async (adapter) =>
      expectNull(await adapter.useVerificationToken({ identifier: "ada@example.com", token: unique("hash") })),
  },
  {
    claim: "MAIL-14: returns a verification token only once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
      expectNull(await adapter.useVerificationToken(keyOfToken(token)))
    },
  },
  {
    claim: "MAIL-13: does not consume a verification token with another email",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNull(await adapter.useVerificationToken({ identifier: "eve@example.com", token: token.token }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "does not consume a verification token with a wrong token",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNull(await adapter.useVerificationToken({ identifier: token.identifier, token: unique("hash") }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "stores several verification tokens for one email, each usable once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const first = sampleToken()
      const second = sampleToken({ identifier: first.identifier })
      for (const token of [first, second]) await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(second)), second)
      expectRecord(await adapter.useVerificationToken(keyOfToken(first)), first)
      expectNull(await adapter.useVerificationToken(keyOfToken(second)))
    },
  },
]
