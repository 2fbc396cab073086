import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  keyOfAccount,
  orRejected,
  sampleAccount,
  sampleAuthenticator,
  sampleSession,
  sampleUser,
  unique,
} from "./adapter-case.js"

const finding: readonly AdapterCase[] = [
  {
    claim: "returns null for an unknown user id",
    needs: ["getUser"],
    run: async (adapter) => expectNull(await adapter.getUser(crypto.randomUUID())),
  },
  {
    claim: "returns null for an unknown email",
    needs: ["getUserByEmail"],
    run: async (adapter) => expectNull(await adapter.getUserByEmail(`${unique("unknown")}@example.com`)),
  },
  {
    claim: "returns null for the user of an unknown account",
    needs: ["getUserByAccount"],
    run: async (adapter) =>
      expectNull(await adapter.getUserByAccount({ provider: "harbour", providerAccountId: unique("subject") })),
  },
  {
    claim: "assigns an id to a created user",
    needs: ["createUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      expect(user.id).toBeTypeOf("string")
      expect(user.id).not.toBe("")
    },
  },
  {
    claim: "finds a user by id, with every field",
    needs: ["createUser", "getUser"],
    async run(adapter) {
      const sample = sampleUser({ emailVerified: new Date("2024-03-31T01:30:00.123Z") })
      const { id } = await adapter.createUser(sample)
      expectRecord(await adapter.getUser(id), { ...sample, id })
    },
  },
  {
    claim: "finds a user by email",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      await adapter.createUser(sampleUser())
      expectRecord(await adapter.getUserByEmail(user.email), user)
    },
  },
]

const keeping: readonly AdapterCase[] = [
  {
    claim: "returns a user's missing values as null",
    needs: ["createUser", "getUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser({ name: null, image: null, emailVerified: null }))
      expectRecord(await adapter.getUser(id), { id, name: null, image: null, emailVerified: null })
    },
  },
  ...[
    "1970-01-01T00:00:00.001Z",
    "2024-02-29T12:34:56.789Z",
    "2025-10-26T01:30:00.999Z",
    "2038-01-19T03:14:08.000Z",
  ].map(
    (instant): AdapterCase => ({
      claim: `stores the date ${instant} to the millisecond`,
      needs: ["createUser", "getUser"],
      async run(adapter) {
        const emailVerified = new Date(instant)
        const created = await adapter.createUser(sampleUser({ emailVerified }))
        expect(created.emailVerified).toEqual(emailVerified)
        expect((await adapter.getUser(created.id))?.emailVerified).toEqual(emailVerified)
      },
    }),
  ),
  {
    claim: "stores names in any script",
    needs: ["createUser", "getUser"],
    async run(adapter) {
      const name = "Zoë Ångström 愛 مرحبا 👩🏽‍🚀 e\u0301"
      const { id } = await adapter.createUser(sampleUser({ name }))
      expectRecord(await adapter.getUser(id), { name })
    },
  },
]

const changing: readonly AdapterCase[] = [
  {
    claim: "rejects a second user with the same email",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter) {
      const first = await adapter.createUser(sampleUser())
      await expectRejection(() => adapter.createUser(sampleUser({ email: first.email })))
      expectRecord(await adapter.getUserByEmail(first.email), { id: first.id })
    },
  },
  {
    claim: "rejects an update of an unknown user, and creates none",
    needs: ["updateUser", "getUser"],
    async run(adapter) {
      const id = crypto.randomUUID()
      await expectRejection(() => adapter.updateUser({ id, name: "Unknown" }))
      expectNull(await adapter.getUser(id))
    },
  },
  {
    claim: "updates only the given fields of a user",
    needs: ["createUser", "updateUser", "getUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const other = await adapter.createUser(sampleUser())
      const emailVerified = new Date("2031-05-06T07:08:09.010Z")
      const changed = await adapter.updateUser({ id: user.id, emailVerified })
      expectRecord(changed, { ...user, emailVerified })
      expectRecord(await adapter.getUser(user.id), { ...user, emailVerified })
      expectRecord(await adapter.getUser(other.id), other)
    },
  },
  {
    claim: "sets a field of a user to null",
    needs: ["createUser", "updateUser", "getUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser({ emailVerified: new Date() }))
      await adapter.updateUser({ id, image: null, emailVerified: null })
      expectRecord(await adapter.getUser(id), { image: null, emailVerified: null })
    },
  },
]

const deleting: readonly AdapterCase[] = [
  {
    claim: "deletes an unknown user without an error",
    needs: ["deleteUser"],
    run: async (adapter) => expectNull(await adapter.deleteUser(crypto.randomUUID())),
  },
  {
    claim: "deletes one user and no other",
    needs: ["createUser", "deleteUser", "getUser", "getUserByEmail"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const other = await adapter.createUser(sampleUser())
      await adapter.deleteUser(user.id)
      expectNull(await adapter.getUser(user.id))
      expectNull(await adapter.getUserByEmail(user.email))
      expectRecord(await adapter.getUser(other.id), other)
    },
  },
  {
    claim: "deletes a user's accounts with the user",
    needs: ["createUser", "linkAccount", "deleteUser", "getAccount", "getUserByAccount"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const account = sampleAccount(user.id)
      await adapter.linkAccount(account)
      await adapter.deleteUser(user.id)
      expectNull(await adapter.getAccount(account.providerAccountId, account.provider))
      expectNull(await adapter.getUserByAccount(keyOfAccount(account)))
    },
  },
  {
    claim: "DBS-07: deletes a user's sessions with the user",
    needs: ["createUser", "createSession", "deleteUser", "getSessionAndUser"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const session = await adapter.createSession(sampleSession(user.id))
      await adapter.deleteUser(user.id)
      expectNull(await adapter.getSessionAndUser(session.sessionToken))
    },
  },
  {
    claim: "deletes a user's authenticators with the user",
    needs: ["createUser", "createAuthenticator", "deleteUser", "getAuthenticator", "listAuthenticatorsByUserId"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const { credentialID } = await adapter.createAuthenticator(sampleAuthenticator(user.id))
      await adapter.deleteUser(user.id)
      expectNull(await adapter.getAuthenticator(credentialID))
      expect(await adapter.listAuthenticatorsByUserId(user.id)).toEqual([])
    },
  },
]

/** Promises about users. */
export const userCases: readonly AdapterCase[] = [...finding, ...keeping, ...changing, ...deleting]

/** Emails that a provider verified. */
export const emailCases: readonly AdapterCase[] = [
  {
    claim: "reports an email as unverified by default",
    needs: ["createUser", "isEmailVerified"],
    async run(adapter) {
      const { id, email } = await adapter.createUser(sampleUser())
      expect(await adapter.isEmailVerified({ id, email })).toBe(false)
      expect(await adapter.isEmailVerified({ id: crypto.randomUUID(), email })).toBe(false)
    },
  },
  {
    claim: "stores no verified email for an unknown user",
    needs: ["markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const userId = crypto.randomUUID()
      const email = `${unique("ada")}@example.com`
      await orRejected(() => adapter.markEmailVerified({ userId, email, provider: "harbour" }))
      expect(await adapter.isEmailVerified({ id: userId, email })).toBe(false)
    },
  },
  {
    claim: "marks an email as verified for this user and this email only, any number of times",
    needs: ["createUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      for (const provider of ["harbour", "harbour", "lagoon"]) {
        await adapter.markEmailVerified({ userId: ada.id, email: ada.email, provider })
      }
      expect(await adapter.isEmailVerified(ada)).toBe(true)
      expect(await adapter.isEmailVerified(ben)).toBe(false)
      for (const email of [ben.email, `${ada.email}x`, ada.email.toUpperCase(), ""]) {
        expect(await adapter.isEmailVerified({ id: ada.id, email })).toBe(false)
      }
    },
  },
  {
    claim: "deletes a user's verified emails with the user",
    needs: ["createUser", "deleteUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      await adapter.markEmailVerified({ userId: user.id, email: user.email, provider: "harbour" })
      await adapter.deleteUser(user.id)
      expect(await adapter.isEmailVerified(user)).toBe(false)
      const again = await adapter.createUser(sampleUser({ email: user.email }))
      expect(await adapter.isEmailVerified(again)).toBe(false)
    },
  },
]
