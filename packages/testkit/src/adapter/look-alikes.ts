import type { Adapter } from "@latchkey/core/adapters"
import { describe, expect, it } from "vitest"
import {
  sampleAccount,
  sampleAuthenticator,
  sampleDetail,
  sampleFactor,
  sampleSession,
  sampleToken,
  sampleUser,
  unique,
} from "./adapter-case.js"
import type { AdapterUnderTest } from "./test-adapter.js"

const later = new Date("2037-01-01T00:00:00.000Z")
const seenAt = new Date("2026-05-05T05:05:05.005Z")

/** What collations of databases take for a text: letters of another case, with an accent, with another width, and spaces at the end. */
function toLookAlikes(text: string): readonly string[] {
  const other = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
  const accented = text.replace(/[ace]/i, (letter) => `${letter}\u0301`.normalize("NFC"))
  const decomposed = text.replace(/[ace]/i, (letter) => `${letter}\u0301`)
  const wide = text.replace(/[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
  return [other, accented, decomposed, wide, `${text} `].filter((lookAlike) => lookAlike !== text)
}

/** One record of each kind, of one user. */
async function seed(adapter: Adapter) {
  // as: some adapters leave the id to the database.
  const user = (await adapter.createUser?.(sampleUser())) ?? sampleUser()
  const account = sampleAccount(user.id, { provider: unique("harbour") })
  const session = sampleSession(user.id)
  const token = sampleToken()
  const authenticator = sampleAuthenticator(user.id)
  const detail = sampleDetail(user.id)
  const factor = sampleFactor(user.id)
  const password = { userId: user.id, hash: unique("phc"), changedAt: seenAt }
  const change = {
    id: unique("change"),
    userId: user.id,
    kind: unique("kind"),
    value: unique("sealed"),
    expires: later,
  }
  const kept = { id: unique("kept"), value: "kept", expires: later }
  const lease = { id: unique("lease"), holder: unique("holder"), until: later }
  await adapter.linkAccount?.(account)
  await adapter.createSession?.(session)
  await adapter.createVerificationToken?.(token)
  await adapter.createAuthenticator?.(authenticator)
  await adapter.markEmailVerified?.({ userId: user.id, email: user.email, provider: "email" })
  await adapter.createSessionDetail?.(detail)
  await adapter.createFactor?.(factor)
  await adapter.setPassword?.({ ...password, from: null })
  await adapter.createAccountChange?.(change)
  await adapter.keepTemporary?.(kept)
  await adapter.takeLease?.(lease)
  return { user, account, session, token, authenticator, detail, factor, password, change, kept, lease }
}

type Seeded = Awaited<ReturnType<typeof seed>>

/** Everything that can be read about the user. */
async function readAll(adapter: Adapter, { user, account, session, authenticator, change }: Seeded) {
  return {
    user: await adapter.getUser?.(user.id),
    byEmail: await adapter.getUserByEmail?.(user.email),
    byAccount: await adapter.getUserByAccount?.(account),
    isVerified: await adapter.isEmailVerified?.(user),
    account: await adapter.getAccount?.(account.providerAccountId, account.provider),
    accounts: await adapter.listAccountsByUserId?.(user.id),
    session: await adapter.getSessionAndUser?.(session.sessionToken),
    authenticator: await adapter.getAuthenticator?.(authenticator.credentialID),
    authenticators: await adapter.listAuthenticatorsByUserId?.(user.id),
    details: await adapter.listSessionsByUserId?.(user.id),
    factors: await adapter.listFactors?.(user.id),
    password: await adapter.getPassword?.(user.id),
    change: await adapter.getAccountChange?.(change.id),
    changes: await adapter.listAccountChanges?.({ userId: user.id }),
    changesOfKind: await adapter.listAccountChanges?.({ kind: change.kind }),
  }
}

type Attempt = readonly [method: string, call: () => unknown]

function attemptsOnContract(adapter: Adapter, seeded: Seeded): readonly Attempt[] {
  const { user, account, session, token } = seeded
  const { provider, providerAccountId } = account
  return [
    ...toLookAlikes(user.id).flatMap((id): Attempt[] => [
      ["getUser", () => adapter.getUser?.(id)],
      ["updateUser", () => adapter.updateUser?.({ id, name: "Mallory" })],
      ["deleteUser", () => adapter.deleteUser?.(id)],
      ["listAccountsByUserId", () => adapter.listAccountsByUserId?.(id)],
      ["isEmailVerified", () => adapter.isEmailVerified?.({ ...user, id })],
    ]),
    ...toLookAlikes(user.email).flatMap((email): Attempt[] => [
      ["getUserByEmail", () => adapter.getUserByEmail?.(email)],
      ["isEmailVerified", () => adapter.isEmailVerified?.({ ...user, email })],
    ]),
    ...[
      ...toLookAlikes(provider).map((other) => ({ provider: other, providerAccountId })),
      ...toLookAlikes(providerAccountId).map((other) => ({ provider, providerAccountId: other })),
    ].flatMap((key): Attempt[] => [
      ["getUserByAccount", () => adapter.getUserByAccount?.(key)],
      ["getAccount", () => adapter.getAccount?.(key.providerAccountId, key.provider)],
      ["unlinkAccount", () => adapter.unlinkAccount?.(key)],
    ]),
    ...toLookAlikes(session.sessionToken).flatMap((sessionToken): Attempt[] => [
      ["getSessionAndUser", () => adapter.getSessionAndUser?.(sessionToken)],
      ["updateSession", () => adapter.updateSession?.({ sessionToken, expires: later })],
      ["deleteSession", () => adapter.deleteSession?.(sessionToken)],
    ]),
    ...[
      ...toLookAlikes(token.identifier).map((identifier) => ({ identifier, token: token.token })),
      ...toLookAlikes(token.token).map((other) => ({ identifier: token.identifier, token: other })),
    ].map((key): Attempt => ["useVerificationToken", () => adapter.useVerificationToken?.(key)]),
    ...toLookAlikes(seeded.authenticator.credentialID).flatMap((credentialID): Attempt[] => [
      ["getAuthenticator", () => adapter.getAuthenticator?.(credentialID)],
      ["updateAuthenticatorCounter", () => adapter.updateAuthenticatorCounter?.(credentialID, 7)],
      ["updateAuthenticator", () => adapter.updateAuthenticator?.({ credentialID, name: "Mallory" })],
      ["deleteAuthenticator", () => adapter.deleteAuthenticator?.(credentialID)],
    ]),
  ]
}

function attemptsOnFeatures(adapter: Adapter, seeded: Seeded): readonly Attempt[] {
  const { user, account, detail, factor, password, change, kept, lease } = seeded
  const { provider, providerAccountId } = detail
  const providerSession = detail.providerSession ?? ""
  const email = { to: `${unique("eve")}@example.com`, emailVerified: null }
  const tokens = { from: account.refresh_token ?? null, tokens: { access_token: "stolen" } }
  return [
    ...toLookAlikes(user.id).flatMap((userId): Attempt[] => [
      ["listAuthenticatorsByUserId", () => adapter.listAuthenticatorsByUserId?.(userId)],
      ["listSessionsByUserId", () => adapter.listSessionsByUserId?.(userId)],
      ["seeSession", () => adapter.seeSession?.({ id: detail.id, userId, seenAt, expires: later })],
      ["endSessions", () => adapter.endSessions?.({ userId })],
      ["endSessions", () => adapter.endSessions?.({ userId, id: detail.id })],
      ["getPassword", () => adapter.getPassword?.(userId)],
      ["setPassword", () => adapter.setPassword?.({ ...password, userId, from: password.hash, hash: "stolen" })],
      ["deletePassword", () => adapter.deletePassword?.(userId)],
      ["listFactors", () => adapter.listFactors?.(userId)],
      ["replaceEmail", () => adapter.replaceEmail?.({ ...email, userId, from: user.email })],
      ["replaceEmail", () => adapter.replaceEmail?.({ ...email, userId, from: null })],
      ["listAccountChanges", () => adapter.listAccountChanges?.({ userId })],
    ]),
    ...toLookAlikes(user.email).map(
      (from): Attempt => ["replaceEmail", () => adapter.replaceEmail?.({ ...email, userId: user.id, from })],
    ),
    ...[
      ...toLookAlikes(account.provider).map((other) => ({ ...account, provider: other })),
      ...toLookAlikes(account.providerAccountId).map((other) => ({ ...account, providerAccountId: other })),
    ].map((key): Attempt => ["replaceTokens", () => adapter.replaceTokens?.(key, tokens)]),
    ...toLookAlikes(detail.id).flatMap((id): Attempt[] => [
      ["seeSession", () => adapter.seeSession?.({ id, userId: user.id, seenAt, expires: later })],
      ["endSessions", () => adapter.endSessions?.({ userId: user.id, id })],
    ]),
    ...[
      ...toLookAlikes(provider).map((other) => ({ provider: other, providerAccountId })),
      ...toLookAlikes(providerAccountId).map((other) => ({ provider, providerAccountId: other })),
      ...toLookAlikes(provider).map((other) => ({ provider: other, providerSession })),
      ...toLookAlikes(providerSession).map((other) => ({ provider, providerSession: other })),
    ].map((selection): Attempt => ["endSessions", () => adapter.endSessions?.(selection)]),
    ...toLookAlikes(password.hash).map(
      (from): Attempt => ["setPassword", () => adapter.setPassword?.({ ...password, from, hash: "stolen" })],
    ),
    ...toLookAlikes(factor.id).flatMap((id): Attempt[] => [
      ["changeFactor", () => adapter.changeFactor?.({ id, from: 0, secret: "stolen" })],
      ["deleteFactor", () => adapter.deleteFactor?.(id)],
    ]),
    ...toLookAlikes(change.id).flatMap((id): Attempt[] => [
      ["getAccountChange", () => adapter.getAccountChange?.(id)],
      ["deleteAccountChange", () => adapter.deleteAccountChange?.({ ...change, id })],
    ]),
    ...toLookAlikes(change.value).map(
      (value): Attempt => ["deleteAccountChange", () => adapter.deleteAccountChange?.({ ...change, value })],
    ),
    ...toLookAlikes(change.kind).map(
      (kind): Attempt => ["listAccountChanges", () => adapter.listAccountChanges?.({ kind })],
    ),
    ...toLookAlikes(kept.id).map((id): Attempt => ["takeTemporary", () => adapter.takeTemporary?.(id)]),
    ...toLookAlikes(lease.holder).flatMap((holder): Attempt[] => [
      ["takeLease", () => adapter.takeLease?.({ ...lease, holder })],
      ["dropLease", () => adapter.dropLease?.({ ...lease, holder })],
    ]),
  ]
}

/** The errors of methods that must fail if no row has the key. A broken store fails with a different error. */
const withoutRow: Readonly<Record<string, RegExp>> = {
  updateUser: /\bno user has this id\b/,
  updateAuthenticatorCounter: /\bno authenticator has this credentialID\b/,
  updateAuthenticator: /\bno authenticator has this credentialID\b/,
}

/**
 * Whether a method reports that no row matches: with null, false, an empty list or, as the contract has it for some, an error.
 * @throws what the store throws for another reason
 */
async function answersNothing([method, call]: Attempt): Promise<boolean> {
  try {
    const answer: unknown = await call()
    return !answer || (Array.isArray(answer) && answer.length === 0)
  } catch (error) {
    if (error instanceof Error && withoutRow[method]?.test(error.message)) return true
    throw error
  }
}

/**
 * Registers the vitest tests of an adapter on tables with lenient collations, without foreign keys: no method finds, changes
 * or removes a row by a key that only looks like its own.
 */
export function testLookAlikes(name: string, create: () => AdapterUnderTest): void {
  describe(`${name} with a lenient collation`, () => {
    it("ADP-13: answers, changes and removes no row whose key is not exactly the given one", async () => {
      const { adapter } = create()
      const seeded = await seed(adapter)
      const before = await readAll(adapter, seeded)
      const answering: string[] = []
      for (const attempt of [...attemptsOnContract(adapter, seeded), ...attemptsOnFeatures(adapter, seeded)]) {
        if (!(await answersNothing(attempt))) answering.push(attempt[0])
      }
      expect([...new Set(answering)]).toEqual([])
      expect(await readAll(adapter, seeded)).toEqual(before)
      const { identifier, token } = seeded.token
      expect(await adapter.useVerificationToken?.({ identifier, token })).toMatchObject({ identifier, token })
      if (adapter.takeTemporary) expect(await adapter.takeTemporary(seeded.kept.id)).toBe("kept")
      if (adapter.takeLease) expect(await adapter.takeLease({ ...seeded.lease, holder: "other" })).toBe(false)
    })

    it("ADP-13: answers no user for a session and an account whose owner's id only looks like theirs", async () => {
      const { adapter } = create()
      const { user } = await seed(adapter)
      for (const userId of toLookAlikes(user.id)) {
        const [session, account] = [sampleSession(userId), sampleAccount(userId)]
        await adapter.createSession?.(session)
        await adapter.linkAccount?.(account)
        expect([userId, await adapter.getSessionAndUser?.(session.sessionToken)]).toEqual([userId, null])
        expect([userId, (await adapter.getUserByAccount?.(account)) ?? null]).toEqual([userId, null])
      }
    })
  })
}
