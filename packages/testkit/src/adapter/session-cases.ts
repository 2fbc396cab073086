import { expect } from "vitest"
import {
  type AdapterCase,
  expectNothing,
  expectRecord,
  expectRefusal,
  keyOfToken,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"

export const sessionCases: readonly AdapterCase[] = [
  {
    claim: "finds nothing by an unknown session token",
    needs: ["getSessionAndUser"],
    run: async (adapter) => expectNothing(await adapter.getSessionAndUser(unique("session"))),
  },
  {
    claim: "DBS-06: finds nothing by a session token of eight kilobytes",
    needs: ["getSessionAndUser"],
    run: async (adapter) => expectNothing(await adapter.getSessionAndUser("x".repeat(8192))),
  },
  {
    claim: "DBS-02: refuses a second session with the same token, and leaves the first to its user",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const { sessionToken } = await adapter.createSession(sampleSession(ada.id))
      await expectRefusal(() => adapter.createSession(sampleSession(ben.id, { sessionToken })))
      expectRecord((await adapter.getSessionAndUser(sessionToken))?.user, { id: ada.id })
    },
  },
  {
    claim: "finds a session together with its user, with every field of both",
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
    claim: "keeps a session that ends after 2038",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const sample = sampleSession(id, { expires: new Date("2040-02-29T23:59:59.987Z") })
      await adapter.createSession(sample)
      expectRecord((await adapter.getSessionAndUser(sample.sessionToken))?.session, sample)
    },
  },
  {
    claim: "keeps several sessions of one user",
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
    claim: "ADP-07: makes no session when it is to change one that is not there",
    needs: ["updateSession", "getSessionAndUser"],
    async run(adapter) {
      const sessionToken = unique("session")
      expectNothing(await adapter.updateSession({ sessionToken, expires: new Date("2037-01-01T00:00:00.000Z") }))
      expectNothing(await adapter.getSessionAndUser(sessionToken))
    },
  },
  {
    claim: "changes the expiry of one session and of no other, to the millisecond",
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
    claim: "deletes a session and no other",
    needs: ["createUser", "createSession", "deleteSession", "getSessionAndUser", "getUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleSession(user.id), sampleSession(user.id)]
      for (const session of [gone, kept]) await adapter.createSession(session)
      const deleted = await adapter.deleteSession(gone.sessionToken)
      if (deleted) expectRecord(deleted, gone)
      expectNothing(await adapter.getSessionAndUser(gone.sessionToken))
      expectRecord((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
      expectRecord(await adapter.getUser(user.id), user)
    },
  },
  {
    claim: "deletes an unknown session without an error",
    needs: ["deleteSession"],
    run: async (adapter) => expectNothing(await adapter.deleteSession(unique("session"))),
  },
]

export const tokenCases: readonly AdapterCase[] = [
  {
    claim: "finds no verification token that was never made",
    needs: ["useVerificationToken"],
    run: async (adapter) =>
      expectNothing(await adapter.useVerificationToken({ identifier: "ada@example.com", token: unique("hash") })),
  },
  {
    claim: "MAIL-14: gives a verification token once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
      expectNothing(await adapter.useVerificationToken(keyOfToken(token)))
    },
  },
  {
    claim: "MAIL-13: does not spend a verification token on another's email",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNothing(await adapter.useVerificationToken({ identifier: "eve@example.com", token: token.token }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "does not spend a verification token on a wrong token for its email",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken()
      await adapter.createVerificationToken(token)
      expectNothing(await adapter.useVerificationToken({ identifier: token.identifier, token: unique("hash") }))
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
  {
    claim: "keeps several verification tokens for one email, each usable once",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const first = sampleToken()
      const second = sampleToken({ identifier: first.identifier })
      for (const token of [first, second]) await adapter.createVerificationToken(token)
      expectRecord(await adapter.useVerificationToken(keyOfToken(second)), second)
      expectRecord(await adapter.useVerificationToken(keyOfToken(first)), first)
      expectNothing(await adapter.useVerificationToken(keyOfToken(second)))
    },
  },
]
