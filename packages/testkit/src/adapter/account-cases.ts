import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  expectRejection,
  keyOfAccount,
  sampleAccount,
  sampleUser,
  unique,
} from "./adapter-case.js"

/** Promises about accounts. */
export const accountCases: readonly AdapterCase[] = [
  {
    claim: "returns null for an account that was never linked",
    needs: ["getAccount"],
    run: async (adapter) => expectNull(await adapter.getAccount(unique("subject"), "harbour")),
  },
  {
    claim: "rejects linking an account twice, and keeps its user",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async run(adapter) {
      const owner = await adapter.createUser(sampleUser())
      const other = await adapter.createUser(sampleUser())
      const account = sampleAccount(owner.id)
      await adapter.linkAccount(account)
      await expectRejection(() => adapter.linkAccount({ ...account, userId: other.id }))
      await expectRejection(() => adapter.linkAccount(account))
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: owner.id })
    },
  },
  {
    claim: "finds a linked account, with every field",
    needs: ["createUser", "linkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const account = sampleAccount(id)
      await adapter.linkAccount(account)
      expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), account)
    },
  },
  {
    claim: "finds an account without tokens",
    needs: ["createUser", "linkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const account = { userId: id, type: "webauthn", provider: "passkey", providerAccountId: unique("key") } as const
      await adapter.linkAccount(account)
      expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), account)
    },
  },
  {
    claim: "stores a token expiry after 2038",
    needs: ["createUser", "linkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const account = sampleAccount(id, { expires_at: 4_102_444_800 })
      await adapter.linkAccount(account)
      expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), account)
    },
  },
  {
    claim: "stores tokens of 8 KB",
    needs: ["createUser", "linkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const long = "x".repeat(8192)
      const account = sampleAccount(id, { access_token: `${long}a`, refresh_token: `${long}r`, id_token: `${long}i` })
      await adapter.linkAccount(account)
      expectRecord(await adapter.getAccount(account.providerAccountId, account.provider), account)
    },
  },
  {
    claim: "finds the user of an account",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser({ emailVerified: new Date("2026-01-02T03:04:05.006Z") }))
      const other = await adapter.createUser(sampleUser())
      const account = sampleAccount(user.id)
      await adapter.linkAccount(account)
      await adapter.linkAccount(sampleAccount(other.id))
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), user)
    },
  },
  {
    claim: "LINK-08: distinguishes the same account id at two providers",
    needs: ["createUser", "linkAccount", "getUserByAccount", "getAccount"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      const account = sampleAccount(ada.id)
      const { providerAccountId } = account
      await adapter.linkAccount(account)
      expectNull(await adapter.getUserByAccount({ provider: "lagoon", providerAccountId }))
      await adapter.linkAccount(sampleAccount(ben.id, { provider: "lagoon", providerAccountId }))
      expectRecord(await adapter.getUserByAccount({ provider: "lagoon", providerAccountId }), { id: ben.id })
      expectRecord(await adapter.getAccount(providerAccountId, "harbour"), { userId: ada.id })
    },
  },
  {
    claim: "links several accounts to one user",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const accounts = [sampleAccount(user.id), sampleAccount(user.id), sampleAccount(user.id, { provider: "lagoon" })]
      for (const account of accounts) await adapter.linkAccount(account)
      for (const account of accounts)
        expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), { id: user.id })
    },
  },
  {
    claim: "lists only the user's own accounts, with every field",
    needs: ["createUser", "linkAccount", "unlinkAccount", "listAccountsByUserId"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      expect(await adapter.listAccountsByUserId(ada.id)).toEqual([])
      const own = [sampleAccount(ada.id, { provider: "lagoon" }), sampleAccount(ada.id)]
      for (const account of [...own, sampleAccount(ben.id)]) await adapter.linkAccount(account)
      const listed = await adapter.listAccountsByUserId(ada.id)
      expect(listed).toHaveLength(own.length)
      for (const account of own) {
        expectRecord(
          listed.find(({ providerAccountId }) => providerAccountId === account.providerAccountId),
          account,
        )
      }
      for (const { provider, providerAccountId } of own) await adapter.unlinkAccount({ provider, providerAccountId })
      expect(await adapter.listAccountsByUserId(ada.id)).toEqual([])
    },
  },
  {
    claim: "unlinks one account and no other",
    needs: ["createUser", "linkAccount", "unlinkAccount", "getAccount"],
    async run(adapter) {
      const { id } = await adapter.createUser(sampleUser())
      const [gone, kept] = [sampleAccount(id), sampleAccount(id)]
      for (const account of [gone, kept]) await adapter.linkAccount(account)
      await adapter.unlinkAccount({ provider: gone.provider, providerAccountId: gone.providerAccountId })
      expectNull(await adapter.getAccount(gone.providerAccountId, gone.provider))
      expectRecord(await adapter.getAccount(kept.providerAccountId, kept.provider), kept)
    },
  },
  {
    claim: "unlinks an unknown account without an error",
    needs: ["unlinkAccount"],
    run: async (adapter) =>
      expectNull(await adapter.unlinkAccount({ provider: "harbour", providerAccountId: unique("subject") })),
  },
]
