import type { Adapter, AdapterAccount } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import type { Items } from "./items.js"
import { createOwned, findOwned, listOwned, type OwnedRecord, takeOwned } from "./owned-items.js"
import { fromStored } from "./stored-fields.js"

type AccountMethods = Required<
  Pick<Adapter, "linkAccount" | "unlinkAccount" | "getAccount" | "getUserByAccount" | "listAccountsByUserId">
>

type AccountId = Pick<AdapterAccount, "provider" | "providerAccountId">

export function accountMethods(items: Items): AccountMethods {
  return {
    async linkAccount(account) {
      const { userId } = account
      return fromStored<AdapterAccount>(
        await createOwned(items, { ...(await toRecord(account)), userId, record: account }),
      )
    },
    async unlinkAccount(account) {
      const taken = await takeOwned(items, await toRecord(account))
      return taken ? fromStored<AdapterAccount>(taken) : undefined
    },
    async getAccount(providerAccountId, provider) {
      const found = await findOwned(items, await toRecord({ provider, providerAccountId }))
      return found && fromStored<AdapterAccount>(found.item)
    },
    getUserByAccount: async (account) => (await findOwned(items, await toRecord(account)))?.owner.user ?? null,
    listAccountsByUserId: async (userId) =>
      (await listOwned(items, "account", userId)).map((item) => fromStored<AdapterAccount>(item)),
  }
}

async function toRecord({ provider, providerAccountId }: AccountId): Promise<OwnedRecord> {
  return { kind: "account", digest: await digestOf(provider, providerAccountId) }
}
