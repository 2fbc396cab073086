import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  keyOfAccount,
  keyOfToken,
  orRejected,
  sampleAccount,
  sampleAuthenticator,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** Text with a special meaning in some store, which an adapter must store literally. */
export const hostileTexts: readonly string[] = [
  `'; DROP TABLE users;--`,
  `" OR ""="`,
  `' OR '1'='1`,
  `\\`,
  `\\' OR 1=1 --`,
  "`; DROP TABLE `User`",
  "$1",
  "?",
  ":id",
  "%",
  "_",
  "*",
  '{"$gt":""}',
  "$where",
  "a.b",
  "__proto__",
  "\r\nFLUSHALL\r\n",
  "null",
]

/** Operators and paths of document stores. */
const documentOperators: ReadonlySet<string> = new Set(['{"$gt":""}', "$where", "a.b", "__proto__"])

const hostile: readonly AdapterCase[] = hostileTexts.map((text) => ({
  claim: `${documentOperators.has(text) ? "ADP-02" : "ADP-01"}: treats ${JSON.stringify(text)} literally in every field`,
  needs: ["createUser", "getUser", "getUserByEmail", "linkAccount", "getUserByAccount", "getAccount"],
  async run(adapter) {
    const email = `${unique(text)}@example.com`
    const bystander = await adapter.createUser(sampleUser())
    const user = await adapter.createUser(sampleUser({ email, name: text, image: text }))
    const account = sampleAccount(user.id, { provider: unique(text), providerAccountId: text, access_token: text })
    await adapter.linkAccount(account)
    expectRecord(await adapter.getUser(user.id), { email, name: text, image: text })
    expectRecord(await adapter.getUserByEmail(email), { id: user.id })
    expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: user.id })
    expectRecord(await adapter.getAccount(text, account.provider), account)
    expectNull(await adapter.getUser(text))
    expectNull(await adapter.getUserByEmail(text))
    expectRecord(await adapter.getUser(bystander.id), bystander)
  },
}))

const hostileKeys: readonly AdapterCase[] = [...hostileTexts, "", "\0"].map((text) => ({
  claim: `ADP-01: finds no session or verification token by ${JSON.stringify(text)}`,
  needs: ["createUser", "createSession", "getSessionAndUser", "createVerificationToken", "useVerificationToken"],
  async run(adapter) {
    const { id } = await adapter.createUser(sampleUser())
    const { sessionToken } = await adapter.createSession(sampleSession(id))
    const token = sampleToken()
    await adapter.createVerificationToken(token)
    for (const guess of [text, `${sessionToken}${text || " "}`, `${text || " "}${sessionToken}`]) {
      expectNull(await orRejected(() => adapter.getSessionAndUser(guess)))
    }
    expectNull(await orRejected(() => adapter.useVerificationToken({ identifier: text, token: token.token })))
    expectNull(await orRejected(() => adapter.useVerificationToken({ identifier: token.identifier, token: text })))
    expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
  },
}))

/** Values that a store with a lenient collation treats as equal. */
function lookAlikes(text: string): readonly string[] {
  const accented = text.replace("a", "á").replace("s", "ş")
  const fullWidth = text.replace("a", "ａ").replace("s", "ｓ")
  const all = [text.toUpperCase(), ` ${text}`, `${text} `, `${text}\t`, accented, fullWidth]
  return all.filter((lookAlike) => lookAlike !== text)
}

const exact: readonly AdapterCase[] = [
  {
    claim: "ADP-13: does not find a user by a look-alike email",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter) {
      const { email } = await adapter.createUser(sampleUser())
      for (const lookAlike of lookAlikes(email)) expectNull(await adapter.getUserByEmail(lookAlike))
    },
  },
  {
    claim: "ADP-13: distinguishes look-alike account ids, and links both",
    needs: ["createUser", "linkAccount", "getUserByAccount", "getAccount"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const account = sampleAccount(ada.id, { providerAccountId: unique("subject") })
      await adapter.linkAccount(account)
      for (const providerAccountId of lookAlikes(account.providerAccountId)) {
        expectNull(await adapter.getAccount(providerAccountId, account.provider))
        await adapter.linkAccount({ ...account, userId: ben.id, providerAccountId })
        expectRecord(await adapter.getUserByAccount({ provider: account.provider, providerAccountId }), { id: ben.id })
      }
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: ada.id })
    },
  },
  {
    claim: "ADP-13: does not find a session by a look-alike token",
    needs: ["createUser", "createSession", "getSessionAndUser", "updateSession", "deleteSession"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const session = await adapter.createSession(sampleSession(id, { sessionToken: unique("sesame") }))
      for (const sessionToken of lookAlikes(session.sessionToken)) {
        expectNull(await adapter.getSessionAndUser(sessionToken))
        await adapter.updateSession({ sessionToken, expires: new Date("2037-01-01T00:00:00.000Z") })
        await adapter.deleteSession(sessionToken)
      }
      expectRecord((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
    },
  },
  {
    claim: "ADP-13: does not consume a verification token with a look-alike",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken({ token: unique("secret") })
      await adapter.createVerificationToken(token)
      for (const lookAlike of lookAlikes(token.token)) {
        expectNull(await adapter.useVerificationToken({ identifier: token.identifier, token: lookAlike }))
      }
      for (const identifier of lookAlikes(token.identifier)) {
        expectNull(await adapter.useVerificationToken({ identifier, token: token.token }))
      }
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
]

/** Values that a JSON body or a query with brackets can bring past a host's types. */
export const operators: readonly unknown[] = [{ $gt: "" }, { $ne: null }, ["a"], true, null, undefined]

const untyped: AdapterCase = {
  claim: "ADP-02: finds nothing by a key that is not a string",
  needs: [
    "createUser",
    "getUser",
    "getUserByEmail",
    "createSession",
    "getSessionAndUser",
    "createVerificationToken",
    "useVerificationToken",
  ],
  async run(adapter) {
    const user = await adapter.createUser(sampleUser())
    await adapter.createSession(sampleSession(user.id))
    const token = sampleToken()
    await adapter.createVerificationToken(token)
    for (const operator of operators) {
      const key = operator as string // as: the case tests values of other types
      expectNull(await orRejected(() => adapter.getUser(key)))
      expectNull(await orRejected(() => adapter.getUserByEmail(key)))
      expectNull(await orRejected(() => adapter.getSessionAndUser(key)))
      expectNull(await orRejected(() => adapter.useVerificationToken({ ...keyOfToken(token), identifier: key })))
      expectNull(await orRejected(() => adapter.useVerificationToken({ ...keyOfToken(token), token: key })))
    }
    expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
  },
}

/** Promises about exact values. */
export const exactnessCases: readonly AdapterCase[] = [...hostile, ...hostileKeys, ...exact, untyped]

const later = new Date("2037-01-01T00:00:00.000Z")

/** Each method gets each text, next to a record that must not change. */
const literal: readonly AdapterCase[] = [
  {
    claim: "ADP-01: updates and deletes users only by their exact id",
    needs: ["createUser", "getUser", "updateUser", "deleteUser"],
    async run(adapter) {
      const bystander = await adapter.createUser(sampleUser())
      const user = await adapter.createUser(sampleUser())
      for (const text of hostileTexts) {
        await orRejected(() => adapter.updateUser({ id: text, name: "Eve" }))
        await orRejected(() => adapter.updateUser({ id: `${user.id}${text}`, name: "Eve" }))
        await orRejected(() => adapter.deleteUser(text))
        expectRecord(await adapter.updateUser({ id: user.id, name: text, image: text }), { name: text, image: text })
        expectRecord(await adapter.getUser(user.id), { ...user, name: text, image: text })
      }
      expectRecord(await adapter.getUser(bystander.id), bystander)
    },
  },
  {
    claim: "ADP-01: unlinks and lists accounts only by their exact ids",
    needs: ["createUser", "linkAccount", "unlinkAccount", "getAccount", "listAccountsByUserId"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const kept = sampleAccount(id)
      await adapter.linkAccount(kept)
      for (const text of hostileTexts) {
        const account = sampleAccount(id, { provider: unique(text), providerAccountId: text, scope: text })
        await adapter.linkAccount(account)
        await orRejected(() => adapter.unlinkAccount({ provider: account.provider, providerAccountId: `${text}x` }))
        expectRecord(await adapter.getAccount(text, account.provider), account)
        await adapter.unlinkAccount({ provider: account.provider, providerAccountId: text })
        expectNull(await adapter.getAccount(text, account.provider))
        expect((await orRejected(() => adapter.listAccountsByUserId(text))) ?? []).toEqual([])
      }
      expectRecord(await adapter.getAccount(kept.providerAccountId, kept.provider), kept)
    },
  },
  {
    claim: "ADP-01: stores, updates and deletes sessions by their exact tokens",
    needs: ["createUser", "createSession", "updateSession", "deleteSession", "getSessionAndUser"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const kept = await adapter.createSession(sampleSession(id))
      for (const text of hostileTexts) {
        const sessionToken = unique(text)
        await adapter.createSession(sampleSession(id, { sessionToken }))
        await orRejected(() => adapter.updateSession({ sessionToken: text, expires: later }))
        await orRejected(() => adapter.deleteSession(text))
        await adapter.updateSession({ sessionToken, expires: later })
        expectRecord((await adapter.getSessionAndUser(sessionToken))?.session, { sessionToken, expires: later })
        await adapter.deleteSession(sessionToken)
        expectNull(await adapter.getSessionAndUser(sessionToken))
      }
      expectRecord((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
    },
  },
  {
    claim: "ADP-01: stores and consumes verification tokens by their exact text",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const kept = sampleToken()
      await adapter.createVerificationToken(kept)
      for (const text of hostileTexts) {
        const token = sampleToken({ identifier: unique(text), token: unique(text) })
        await adapter.createVerificationToken(token)
        const { identifier } = token
        expectNull(await orRejected(() => adapter.useVerificationToken({ identifier, token: text })))
        expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
      }
      expectRecord(await adapter.useVerificationToken(keyOfToken(kept)), kept)
    },
  },
  {
    claim: "ADP-01: stores, updates, lists and deletes authenticators by their exact ids",
    needs: [
      "createUser",
      "createAuthenticator",
      "getAuthenticator",
      "listAuthenticatorsByUserId",
      "updateAuthenticatorCounter",
      "updateAuthenticator",
      "deleteAuthenticator",
    ],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const kept = sampleAuthenticator(id)
      await adapter.createAuthenticator(kept)
      for (const text of hostileTexts) {
        const credentialID = unique(text)
        const sample = sampleAuthenticator(id, { credentialID, transports: text })
        await adapter.createAuthenticator(sample)
        await orRejected(() => adapter.updateAuthenticatorCounter(text, 9))
        await orRejected(() => adapter.updateAuthenticator({ credentialID: text, name: "Eve" }))
        await orRejected(() => adapter.deleteAuthenticator(text))
        await adapter.updateAuthenticatorCounter(credentialID, 7)
        await adapter.updateAuthenticator({ credentialID, name: text })
        expectRecord(await adapter.getAuthenticator(credentialID), { ...sample, counter: 7, name: text })
        await adapter.deleteAuthenticator(credentialID)
        expect((await orRejected(() => adapter.listAuthenticatorsByUserId(text))) ?? []).toEqual([])
      }
      expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(1)
      expectRecord(await adapter.getAuthenticator(kept.credentialID), kept)
    },
  },
  {
    claim: "ADP-01: consumes ids by their exact text",
    needs: ["consumeOnce"],
    async run(adapter) {
      for (const text of hostileTexts) {
        const id = unique(text)
        expect([await adapter.consumeOnce(id, later), await adapter.consumeOnce(id, later)], text).toEqual([
          true,
          false,
        ])
        expect(await adapter.consumeOnce(`${id}x`, later), text).toBe(true)
      }
    },
  },
  {
    claim: "ADP-01: stores verified emails by their exact text",
    needs: ["createUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const bystander = await adapter.createUser(sampleUser())
      const { id } = await adapter.createUser(sampleUser())
      for (const text of hostileTexts) {
        const email = unique(text)
        await adapter.markEmailVerified({ userId: id, email, provider: text })
        expect(await adapter.isEmailVerified({ id, email }), text).toBe(true)
        expect((await orRejected(() => adapter.isEmailVerified({ id, email: text }))) ?? false, text).toBe(false)
        expect((await orRejected(() => adapter.isEmailVerified({ id: text, email }))) ?? false, text).toBe(false)
      }
      expect(await adapter.isEmailVerified(bystander)).toBe(false)
    },
  },
]

/** Names that a provider or a visitor could send as keys of a record. */
const hostileNames: readonly string[] = [
  'id", "x',
  "name` = 'Eve', `image",
  "name = (select 1) --",
  "$set",
  "a.b",
  "user_id",
  "USERID",
  "constructor",
]

const names: readonly AdapterCase[] = [
  {
    claim: "ADP-03: does not use keys of a record as column names",
    needs: ["createUser", "getUser", "updateUser", "linkAccount", "getAccount", "getUserByAccount"],
    async run(adapter) {
      const victim = await adapter.createUser(sampleUser())
      for (const name of hostileNames) {
        const odd = { [name]: victim.id }
        const sample = sampleUser()
        // An adapter can reject such a record; the test then goes on with a plain one.
        const user =
          (await orRejected(() => adapter.createUser({ ...sample, ...odd }))) ?? (await adapter.createUser(sample))
        await orRejected(() => adapter.updateUser({ id: user.id, image: null, ...odd }))
        expectRecord(await adapter.getUser(user.id), { id: user.id, name: sample.name, email: sample.email })
        const account = sampleAccount(user.id)
        await orRejected(() => adapter.linkAccount({ ...account, ...odd }))
        const owner = await adapter.getUserByAccount(keyOfAccount(account))
        if (owner) expectRecord(owner, { id: user.id })
      }
      expectRecord(await adapter.getUser(victim.id), victim)
    },
  },
]

/** Promises about hostile values. */
export const injectionCases: readonly AdapterCase[] = [...literal, ...names]
