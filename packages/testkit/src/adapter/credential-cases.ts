import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  keyOfAccount,
  orRejected,
  runConcurrently,
  sampleAccount,
  sampleFactor,
  sampleUser,
  unique,
} from "./adapter-case.js"

const changedAt = new Date("2026-06-07T08:09:10.011Z")
const hashOf = (text: string) => `$argon2id$v=19$m=19456,t=2,p=1$${unique(text)}`

/** Promises about passwords. */
export const passwordCases: readonly AdapterCase[] = [
  {
    claim: "stores a user's first password, and replaces it",
    needs: ["createUser", "setPassword", "getPassword"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const other = await adapter.createUser(sampleUser())
      expectNull(await adapter.getPassword(userId))
      const first = { userId, hash: hashOf("first"), changedAt }
      expect(await adapter.setPassword({ ...first, from: null })).toBe(true)
      expectRecord(await adapter.getPassword(userId), first)
      const second = { userId, hash: hashOf("second"), changedAt: new Date("2026-07-07T08:09:10.999Z") }
      expect(await adapter.setPassword({ ...second, from: first.hash })).toBe(true)
      expectRecord(await adapter.getPassword(userId), second)
      expectNull(await adapter.getPassword(other.id))
    },
  },
  {
    claim: "changes no password unless the stored hash is the given one",
    needs: ["createUser", "setPassword", "getPassword"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [first, second] = [hashOf("first"), hashOf("second")]
      expect(await adapter.setPassword({ userId, hash: second, changedAt, from: first })).toBe(false)
      expectNull(await adapter.getPassword(userId))
      await adapter.setPassword({ userId, hash: first, changedAt, from: null })
      for (const from of [null, second, first.toUpperCase(), `${first} `])
        expect(await adapter.setPassword({ userId, hash: second, changedAt: new Date(), from })).toBe(false)
      expectRecord(await adapter.getPassword(userId), { userId, hash: first, changedAt })
    },
  },
  ...([true, false] as const).map(
    (isFirst): AdapterCase => ({
      claim: `${isFirst ? "stores a first password" : "replaces a password"} for exactly one of many concurrent callers`,
      needs: ["createUser", "setPassword", "getPassword"],
      async run(adapter, callers) {
        const { id: userId } = await adapter.createUser(sampleUser())
        const from = isFirst ? null : hashOf("old")
        if (from !== null) await adapter.setPassword({ userId, hash: from, changedAt, from: null })
        const { results, failures } = await runConcurrently(callers, async (index) => {
          const hash = hashOf(`new-${index}`)
          return (await adapter.setPassword({ userId, hash, changedAt, from })) ? hash : null
        })
        expect(failures).toBe(0)
        const winners = results.filter((hash) => hash !== null)
        expect(winners).toHaveLength(1)
        expectRecord(await adapter.getPassword(userId), { hash: winners[0] })
      },
    }),
  ),
  {
    claim: "stores no password for an unknown user",
    needs: ["setPassword", "getPassword"],
    async run(adapter) {
      const userId = crypto.randomUUID()
      const password = { userId, hash: hashOf("first"), changedAt, from: null }
      expect((await orRejected(() => adapter.setPassword(password))) ?? false).toBe(false)
      expectNull(await adapter.getPassword(userId))
    },
  },
  {
    claim: "deletes a password, and deletes an unknown one without an error",
    needs: ["createUser", "setPassword", "getPassword", "deletePassword"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      for (const { id: userId } of [ada, ben])
        await adapter.setPassword({ userId, hash: hashOf("first"), changedAt, from: null })
      await adapter.deletePassword(ada.id)
      await adapter.deletePassword(ada.id)
      expectNull(await adapter.getPassword(ada.id))
      expect(await adapter.getPassword(ben.id)).not.toBeNull()
    },
  },
  {
    claim: "deletes a user's password with the user",
    needs: ["createUser", "deleteUser", "setPassword", "getPassword"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      await adapter.setPassword({ userId, hash: hashOf("first"), changedAt, from: null })
      await adapter.deleteUser(userId)
      expectNull(await adapter.getPassword(userId))
    },
  },
]

/** Promises about second factors. */
export const factorCases: readonly AdapterCase[] = [
  {
    claim: "lists only the user's own second factors, with every field",
    needs: ["createUser", "createFactor", "listFactors"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const used = { label: "Phone", lastStep: 2_147_483_648, lastUsedAt: changedAt }
      const own = [sampleFactor(ada.id), sampleFactor(ada.id, { kind: "recovery", ...used })]
      for (const factor of [...own, sampleFactor(ben.id)]) await adapter.createFactor(factor)
      const listed = await adapter.listFactors(ada.id)
      expect(listed).toHaveLength(2)
      for (const factor of own)
        expectRecord(
          listed.find(({ id }) => id === factor.id),
          factor,
        )
      expect(await adapter.listFactors(unique("nobody"))).toEqual([])
    },
  },
  {
    claim: "rejects a second factor with an id that exists, and one of an unknown user",
    needs: ["createUser", "createFactor", "listFactors"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const factor = sampleFactor(id)
      await adapter.createFactor(factor)
      await expectRejection(() => adapter.createFactor({ ...factor, secret: unique("sealed") }))
      const orphan = sampleFactor(crypto.randomUUID())
      await expectRejection(() => adapter.createFactor(orphan))
      expect(await adapter.listFactors(orphan.userId)).toEqual([])
      expectRecord((await adapter.listFactors(id))[0], factor)
    },
  },
  {
    claim: "changes the given fields of a second factor, and raises its version by 1",
    needs: ["createUser", "createFactor", "changeFactor", "listFactors"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [changed, kept] = [sampleFactor(userId, { label: "Phone" }), sampleFactor(userId)]
      for (const factor of [changed, kept]) await adapter.createFactor(factor)
      const { id } = changed
      expect(await adapter.changeFactor({ id, from: 0, lastStep: 59_000_000, lastUsedAt: changedAt })).toBe(true)
      expect(await adapter.changeFactor({ id, from: 1, secret: "resealed", label: null })).toBe(true)
      const factors = await adapter.listFactors(userId)
      expectRecord(
        factors.find((one) => one.id === id),
        {
          ...changed,
          secret: "resealed",
          label: null,
          lastStep: 59_000_000,
          lastUsedAt: changedAt,
          version: 2,
        },
      )
      expectRecord(
        factors.find((one) => one.id === kept.id),
        kept,
      )
    },
  },
  {
    claim: "changes no second factor unless the stored version is the given one",
    needs: ["createUser", "createFactor", "changeFactor", "listFactors"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const factor = sampleFactor(userId)
      await adapter.createFactor(factor)
      expect(await adapter.changeFactor({ id: factor.id, from: 1, lastStep: 1 })).toBe(false)
      expect(await adapter.changeFactor({ id: unique("factor"), from: 0, lastStep: 1 })).toBe(false)
      expectRecord((await adapter.listFactors(userId))[0], factor)
    },
  },
  {
    claim: "changes a second factor for exactly one of many concurrent callers",
    needs: ["createUser", "createFactor", "changeFactor", "listFactors"],
    async run(adapter, callers) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const factor = sampleFactor(userId)
      await adapter.createFactor(factor)
      const { results, failures } = await runConcurrently(callers, () =>
        adapter.changeFactor({ id: factor.id, from: 0, lastStep: 59_000_000, lastUsedAt: changedAt }),
      )
      expect([failures, results.filter((isChanged) => isChanged)]).toEqual([0, [true]])
      expectRecord((await adapter.listFactors(userId))[0], { version: 1 })
    },
  },
  {
    claim: "deletes a second factor, and deletes an unknown one without an error",
    needs: ["createUser", "createFactor", "changeFactor", "deleteFactor", "listFactors"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleFactor(userId), sampleFactor(userId)]
      for (const factor of [gone, kept]) await adapter.createFactor(factor)
      await adapter.deleteFactor(gone.id)
      await adapter.deleteFactor(gone.id)
      expect((await adapter.listFactors(userId)).map(({ id }) => id)).toEqual([kept.id])
      expect(await adapter.changeFactor({ id: gone.id, from: 0, lastStep: 1 })).toBe(false)
    },
  },
  {
    claim: "deletes a user's second factors with the user",
    needs: ["createUser", "deleteUser", "createFactor", "changeFactor", "listFactors"],
    async run(adapter) {
      const { id: userId } = await adapter.createUser(sampleUser())
      const factor = sampleFactor(userId)
      await adapter.createFactor(factor)
      await adapter.deleteUser(userId)
      expect(await adapter.listFactors(userId)).toEqual([])
      expect(await adapter.changeFactor({ id: factor.id, from: 0, lastStep: 1 })).toBe(false)
    },
  },
]

/** Promises about new tokens of linked accounts. */
export const tokenReplacementCases: readonly AdapterCase[] = [
  {
    claim: "replaces the given tokens of one account only",
    needs: ["createUser", "linkAccount", "replaceTokens", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const from = unique("refresh")
      const [account, other] = [sampleAccount(id, { refresh_token: from }), sampleAccount(id, { refresh_token: from })]
      for (const one of [account, other]) await adapter.linkAccount(one)
      const tokens = { access_token: unique("access"), refresh_token: unique("refresh"), expires_at: 1_900_000_000 }
      expect(await adapter.replaceTokens(keyOfAccount(account), { from, tokens })).toBe(true)
      const { providerAccountId, provider } = account
      expectRecord(await adapter.getAccount(providerAccountId, provider), { ...account, ...tokens })
      expectRecord(await adapter.getAccount(other.providerAccountId, other.provider), other)
      // The provider may not tell when a new token expires.
      const { refresh_token } = tokens
      const change = { from: refresh_token, tokens: { expires_at: null } }
      expect(await adapter.replaceTokens(keyOfAccount(account), change)).toBe(true)
      expect((await adapter.getAccount(providerAccountId, provider))?.expires_at ?? null).toBeNull()
      const { refresh_token: _, ...without } = sampleAccount(id)
      await adapter.linkAccount(without)
      // It takes a transaction, or a script as in Redis, which has details of sessions.
      const isPossible = "transaction" in adapter || "createSessionDetail" in adapter
      expect(await adapter.replaceTokens(keyOfAccount(without), { from: null, tokens })).toBe(isPossible)
      const found = await adapter.getAccount(without.providerAccountId, without.provider)
      expectRecord(found, isPossible ? { ...without, ...tokens } : without)
    },
  },
  {
    claim: "replaces no tokens unless the stored refresh token is the given one",
    needs: ["createUser", "linkAccount", "replaceTokens", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const account = sampleAccount(id, { refresh_token: unique("refresh") })
      const { refresh_token: _, ...without } = sampleAccount(id)
      for (const one of [account, without]) await adapter.linkAccount(one)
      const tokens = { access_token: unique("access") }
      for (const from of [unique("refresh"), `${account.refresh_token} `, "", "null"])
        for (const one of [account, without])
          expect(await adapter.replaceTokens(keyOfAccount(one), { from, tokens })).toBe(false)
      for (const from of ["", null])
        expect(await adapter.replaceTokens(keyOfAccount(sampleAccount(id)), { from, tokens })).toBe(false)
      expect(await adapter.replaceTokens(keyOfAccount(account), { from: null, tokens })).toBe(false)
      expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), account)
    },
  },
  {
    claim: "replaces tokens for exactly one of many concurrent callers",
    needs: ["createUser", "linkAccount", "replaceTokens", "getAccount"],
    async run(adapter, callers) {
      const { id } = await adapter.createUser(sampleUser())
      for (const from of [unique("refresh"), ...("createSessionDetail" in adapter ? [null] : [])]) {
        const { refresh_token: _, ...sample } = sampleAccount(id)
        const account = from === null ? sample : { ...sample, refresh_token: from }
        await adapter.linkAccount(account)
        const { results, failures } = await runConcurrently(callers, async (index) => {
          const tokens = { access_token: `access-${index}`, refresh_token: unique(`refresh-${index}`) }
          return (await adapter.replaceTokens(keyOfAccount(account), { from, tokens })) ? tokens : null
        })
        expect(failures).toBe(0)
        const winners = results.filter((tokens) => tokens !== null)
        expect(winners).toHaveLength(1)
        const { providerAccountId, provider } = account
        expectRecord(await adapter.getAccount(providerAccountId, provider), { ...account, ...winners[0] })
      }
    },
  },
]
