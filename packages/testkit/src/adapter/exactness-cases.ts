import type { AdapterCase } from "./adapter-case.js"
import { expectNothing, expectRecord, orRefusal } from "./expectations.js"
import { hostileTexts } from "./hostile-texts.js"
import { keyOfAccount, keyOfToken, sampleAccount, sampleSession, sampleToken, sampleUser, unique } from "./samples.js"

/** What document stores take for operators and paths. */
const forDocuments: ReadonlySet<string> = new Set(['{"$gt":""}', "$where", "a.b", "__proto__"])

const hostile: readonly AdapterCase[] = hostileTexts.map((text) => ({
  claim: `${forDocuments.has(text) ? "ADP-02" : "ADP-01"}: takes ${JSON.stringify(text)} literally in every field`,
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
    expectNothing(await adapter.getUser(text))
    expectNothing(await adapter.getUserByEmail(text))
    expectRecord(await adapter.getUser(bystander.id), bystander)
  },
}))

const hostileKeys: readonly AdapterCase[] = [...hostileTexts, "", "\0"].map((text) => ({
  claim: `ADP-01: finds no session and no verification token by ${JSON.stringify(text)}`,
  needs: ["createUser", "createSession", "getSessionAndUser", "createVerificationToken", "useVerificationToken"],
  async run(adapter) {
    const { id } = await adapter.createUser(sampleUser())
    const { sessionToken } = await adapter.createSession(sampleSession(id))
    const token = sampleToken()
    await adapter.createVerificationToken(token)
    for (const guess of [text, `${sessionToken}${text || " "}`, `${text || " "}${sessionToken}`]) {
      expectNothing(await orRefusal(() => adapter.getSessionAndUser(guess)))
    }
    expectNothing(await orRefusal(() => adapter.useVerificationToken({ identifier: text, token: token.token })))
    expectNothing(await orRefusal(() => adapter.useVerificationToken({ identifier: token.identifier, token: text })))
    expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
  },
}))

/** What a store with a lenient collation takes for the same. */
function lookAlikes(text: string): readonly string[] {
  const accented = text.replace("a", "á").replace("s", "ş")
  const fullWidth = text.replace("a", "ａ").replace("s", "ｓ")
  const all = [text.toUpperCase(), ` ${text}`, `${text} `, `${text}\t`, accented, fullWidth]
  return all.filter((lookAlike) => lookAlike !== text)
}

const exact: readonly AdapterCase[] = [
  {
    claim: "ADP-13: does not take a look-alike email for a user's",
    needs: ["createUser", "getUserByEmail"],
    async run(adapter) {
      const { email } = await adapter.createUser(sampleUser())
      for (const lookAlike of lookAlikes(email)) expectNothing(await adapter.getUserByEmail(lookAlike))
    },
  },
  {
    claim: "ADP-13: does not take a look-alike account id for another's, and lets both be linked",
    needs: ["createUser", "linkAccount", "getUserByAccount", "getAccount"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const account = sampleAccount(ada.id, { providerAccountId: unique("subject") })
      await adapter.linkAccount(account)
      for (const providerAccountId of lookAlikes(account.providerAccountId)) {
        expectNothing(await adapter.getAccount(providerAccountId, account.provider))
        await adapter.linkAccount({ ...account, userId: ben.id, providerAccountId })
        expectRecord(await adapter.getUserByAccount({ provider: account.provider, providerAccountId }), { id: ben.id })
      }
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: ada.id })
    },
  },
  {
    claim: "ADP-13: does not take a look-alike session token for a session's",
    needs: ["createUser", "createSession", "getSessionAndUser", "updateSession", "deleteSession"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const session = await adapter.createSession(sampleSession(id, { sessionToken: unique("sesame") }))
      for (const sessionToken of lookAlikes(session.sessionToken)) {
        expectNothing(await adapter.getSessionAndUser(sessionToken))
        await adapter.updateSession({ sessionToken, expires: new Date("2037-01-01T00:00:00.000Z") })
        await adapter.deleteSession(sessionToken)
      }
      expectRecord((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
    },
  },
  {
    claim: "ADP-13: does not spend a verification token on a look-alike",
    needs: ["createVerificationToken", "useVerificationToken"],
    async run(adapter) {
      const token = sampleToken({ token: unique("secret") })
      await adapter.createVerificationToken(token)
      for (const lookAlike of lookAlikes(token.token)) {
        expectNothing(await adapter.useVerificationToken({ identifier: token.identifier, token: lookAlike }))
      }
      for (const identifier of lookAlikes(token.identifier)) {
        expectNothing(await adapter.useVerificationToken({ identifier, token: token.token }))
      }
      expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
    },
  },
]

/** As a body that was parsed as JSON, or a query with brackets, might bring them past a host's types. */
const operators: readonly unknown[] = [{ $gt: "" }, { $ne: null }, ["a"], true, null, undefined]

const untyped: AdapterCase = {
  claim: "ADP-02: finds nothing by a key that is no text",
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
      const key = operator as string // as: this is what the case is about
      expectNothing(await orRefusal(() => adapter.getUser(key)))
      expectNothing(await orRefusal(() => adapter.getUserByEmail(key)))
      expectNothing(await orRefusal(() => adapter.getSessionAndUser(key)))
      expectNothing(await orRefusal(() => adapter.useVerificationToken({ ...keyOfToken(token), identifier: key })))
      expectNothing(await orRefusal(() => adapter.useVerificationToken({ ...keyOfToken(token), token: key })))
    }
    expectRecord(await adapter.useVerificationToken(keyOfToken(token)), token)
  },
}

export const exactnessCases: readonly AdapterCase[] = [...hostile, ...hostileKeys, ...exact, untyped]
