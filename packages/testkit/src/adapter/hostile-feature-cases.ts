import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  keyOfAccount,
  orRejected,
  sampleAccount,
  sampleDetail,
  sampleFactor,
  sampleUser,
  unique,
} from "./adapter-case.js"
import { hostileTexts, operators } from "./hostile-value-cases.js"

const later = new Date("2037-01-01T00:00:00.000Z")

const literal: readonly AdapterCase[] = [
  {
    claim: "ADP-01: keeps temporary values and leases by their exact text",
    needs: ["keepTemporary", "takeTemporary", "takeLease", "dropLease"],
    async run(adapter) {
      const kept = unique("held")
      await adapter.keepTemporary({ id: kept, value: "kept", expires: later })
      for (const text of hostileTexts) {
        const id = unique(text)
        await adapter.keepTemporary({ id, value: text, expires: later })
        expectNull(await orRejected(() => adapter.takeTemporary(text)))
        expect(await adapter.takeTemporary(id)).toBe(text)
        expect(await adapter.takeLease({ id, holder: text, until: later }), text).toBe(true)
        await orRejected(() => adapter.dropLease({ id: text, holder: text }))
        await orRejected(() => adapter.dropLease({ id, holder: `${text}x` }))
        expect(await adapter.takeLease({ id, holder: `${text}x`, until: later }), text).toBe(false)
      }
      expect(await adapter.takeTemporary(kept)).toBe("kept")
    },
  },
  {
    claim: "ADP-01: stores, sees, lists and ends sessions by their exact text",
    needs: ["createUser", "createSessionDetail", "seeSession", "endSessions", "listSessionsByUserId"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const kept = sampleDetail(userId)
      await adapter.createSessionDetail(kept)
      for (const text of hostileTexts) {
        const names = { id: unique(text), provider: unique(text), providerAccountId: text, providerSession: text }
        const detail = sampleDetail(userId, { ...names, amr: text, userAgent: text, network: text, label: text })
        await adapter.createSessionDetail(detail)
        const seen = { userId, seenAt: new Date("2026-05-05T05:05:05.005Z"), expires: later }
        for (const id of [text, `${detail.id}${text}`])
          expectNull(await orRejected(() => adapter.seeSession({ ...seen, id })))
        const changed = { ...detail, lastSeenAt: seen.seenAt, expires: later }
        expectRecord(await adapter.seeSession({ ...seen, id: detail.id }), changed)
        const wrong = [
          { userId: text },
          { userId, id: text },
          { provider: text, providerSession: text },
          { provider: names.provider, providerSession: `${text}x` },
          { provider: names.provider, providerAccountId: `${text}x` },
        ]
        for (const selection of wrong) expect((await orRejected(() => adapter.endSessions(selection))) ?? 0).toBe(0)
        expect(await adapter.listSessionsByUserId(userId)).toHaveLength(2)
        expect((await orRejected(() => adapter.listSessionsByUserId(text))) ?? []).toEqual([])
        expect(await adapter.endSessions({ provider: names.provider, providerSession: text }), text).toBe(1)
      }
      expectRecord((await adapter.listSessionsByUserId(userId))[0], kept)
    },
  },
  {
    claim: "ADP-01: stores passwords, second factors and tokens by their exact text",
    needs: [
      "createUser",
      "setPassword",
      "getPassword",
      "deletePassword",
      "createFactor",
      "changeFactor",
      "deleteFactor",
      "listFactors",
      "linkAccount",
      "replaceTokens",
      "getAccount",
    ],
    async run(adapter) {
      for (const text of hostileTexts) {
        const { id: userId } = await adapter.createUser(sampleUser())
        const hash = unique(text)
        await adapter.setPassword({ userId, hash, changedAt: later, from: null })
        await orRejected(() => adapter.deletePassword(text))
        expect(await adapter.setPassword({ userId, hash: "x", changedAt: later, from: text }), text).toBe(false)
        expectRecord(await adapter.getPassword(userId), { hash })
        const factor = sampleFactor(userId, { id: unique(text), kind: text, secret: text, label: text })
        await adapter.createFactor(factor)
        await orRejected(() => adapter.deleteFactor(text))
        expect((await orRejected(() => adapter.changeFactor({ id: text, from: 0, lastStep: 1 }))) ?? false).toBe(false)
        expect(await adapter.changeFactor({ id: factor.id, from: 0, label: `${text}x` }), text).toBe(true)
        expectRecord((await adapter.listFactors(userId))[0], { ...factor, label: `${text}x`, version: 1 })
        const account = sampleAccount(userId, { refresh_token: unique(text) })
        await adapter.linkAccount(account)
        const tokens = { access_token: text, refresh_token: text }
        expect(await adapter.replaceTokens(keyOfAccount(account), { from: text, tokens }), text).toBe(false)
        const from = `${account.refresh_token}`
        expect(await adapter.replaceTokens(keyOfAccount(account), { from, tokens }), text).toBe(true)
        expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), { ...account, ...tokens })
      }
    },
  },
]

const changes: AdapterCase = {
  claim: "ADP-01: stores changes of accounts by their exact text, and finds none by a key that is not a string",
  needs: [
    "createUser",
    "getUser",
    "replaceEmail",
    "createAccountChange",
    "getAccountChange",
    "listAccountChanges",
    "deleteAccountChange",
  ],
  async run(adapter) {
    const { id: userId, email } = await adapter.createUser(sampleUser())
    const to = `${unique("ada")}@example.com`
    const made = { id: unique("email"), userId, kind: "email", value: "sealed", expires: later }
    await adapter.createAccountChange(made)
    for (const text of hostileTexts) {
      const change = { ...made, id: unique(text), kind: unique(text), value: text }
      expect(await adapter.createAccountChange(change), text).toBe(true)
      expectRecord(await adapter.getAccountChange(change.id), change)
      expect(await adapter.listAccountChanges({ kind: change.kind }), text).toHaveLength(1)
      expectNull(await orRejected(() => adapter.getAccountChange(text)))
      expect((await orRejected(() => adapter.listAccountChanges({ kind: text }))) ?? []).toEqual([])
      expect((await orRejected(() => adapter.deleteAccountChange({ id: made.id, value: text }))) ?? false).toBe(false)
      expect(await adapter.deleteAccountChange(change), text).toBe(true)
      const from = { userId, from: text, to, emailVerified: null }
      expect((await orRejected(() => adapter.replaceEmail(from))) ?? false, text).toBe(false)
    }
    for (const operator of operators) {
      const key = operator as string // as: the case tests values of other types
      expectNull(await orRejected(() => adapter.getAccountChange(key)))
      expect((await orRejected(() => adapter.listAccountChanges({ userId: key }))) ?? []).toEqual([])
      expect((await orRejected(() => adapter.listAccountChanges({ kind: key }))) ?? []).toEqual([])
      expect((await orRejected(() => adapter.deleteAccountChange({ ...made, value: key }))) ?? false).toBe(false)
      expect((await orRejected(() => adapter.deleteAccountChange({ ...made, id: key }))) ?? false).toBe(false)
      const replacement = { userId, from: email, to, emailVerified: null }
      expect((await orRejected(() => adapter.replaceEmail({ ...replacement, from: key }))) ?? false).toBe(false)
      expect((await orRejected(() => adapter.replaceEmail({ ...replacement, userId: key }))) ?? false).toBe(false)
    }
    expectRecord(await adapter.getUser(userId), { email })
    expectRecord(await adapter.getAccountChange(made.id), made)
  },
}

const untyped: AdapterCase = {
  claim: "ADP-02: finds, ends and changes nothing by a key that is not a string",
  needs: [
    "createUser",
    "keepTemporary",
    "takeTemporary",
    "createSessionDetail",
    "seeSession",
    "endSessions",
    "listSessionsByUserId",
    "setPassword",
    "getPassword",
    "createFactor",
    "changeFactor",
    "listFactors",
    "linkAccount",
    "replaceTokens",
  ],
  async run(adapter) {
    const { id: userId } = await adapter.createUser(sampleUser())
    const temporary = { id: unique("held"), value: "sealed", expires: later }
    await adapter.keepTemporary(temporary)
    const [detail, factor, account] = [sampleDetail(userId), sampleFactor(userId), sampleAccount(userId)]
    await adapter.createSessionDetail(detail)
    await adapter.createFactor(factor)
    await adapter.linkAccount(account)
    const password = { userId, hash: unique("hash"), changedAt: later }
    await adapter.setPassword({ ...password, from: null })
    const seen = { id: detail.id, userId, seenAt: new Date(0), expires: new Date(1) }
    for (const operator of operators) {
      const key = operator as string // as: the case tests values of other types
      expectNull(await orRejected(() => adapter.takeTemporary(key)))
      expectNull(await orRejected(() => adapter.seeSession({ ...seen, id: key })))
      expectNull(await orRejected(() => adapter.seeSession({ ...seen, userId: key })))
      const selections = [
        { userId: key },
        { provider: key, providerSession: `${detail.providerSession}` },
        { provider: detail.provider, providerSession: key },
        { provider: detail.provider, providerAccountId: key },
      ]
      for (const selection of selections) expect((await orRejected(() => adapter.endSessions(selection))) ?? 0).toBe(0)
      expect((await orRejected(() => adapter.listSessionsByUserId(key))) ?? []).toEqual([])
      expectNull(await orRejected(() => adapter.getPassword(key)))
      if (key !== null) {
        const change = { ...password, hash: "x", from: key }
        expect((await orRejected(() => adapter.setPassword(change))) ?? false).toBe(false)
        const replacement = { from: key, tokens: { access_token: "x" } }
        expect((await orRejected(() => adapter.replaceTokens(keyOfAccount(account), replacement))) ?? false).toBe(false)
      }
      expect((await orRejected(() => adapter.changeFactor({ id: key, from: 0, lastStep: 1 }))) ?? false).toBe(false)
      const place = { provider: account.provider, providerAccountId: key }
      const replacement = { from: null, tokens: { access_token: "x" } }
      expect((await orRejected(() => adapter.replaceTokens(place, replacement))) ?? false).toBe(false)
    }
    expectRecord((await adapter.listSessionsByUserId(userId))[0], detail)
    expectRecord((await adapter.listFactors(userId))[0], factor)
    expectRecord(await adapter.getPassword(userId), password)
    expect(await adapter.takeTemporary(temporary.id)).toBe("sealed")
  },
}

/** Promises about hostile values in the features beyond the contract. */
export const hostileFeatureCases: readonly AdapterCase[] = [...literal, changes, untyped]
