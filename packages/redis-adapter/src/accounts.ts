import type { Adapter, AdapterAccount, AdapterUser } from "@latchkey/core/adapters"
import type { RunOperation } from "./operation.js"
import { createOwned, findOwned, listOwnedRecords, takeOwned } from "./owned-records.js"
import { digestOfAccount, type StoreKeys } from "./store-keys.js"
import { fromStored, type StoredHash } from "./stored-hash.js"

type AccountMethods = Required<
  Pick<Adapter, "linkAccount" | "unlinkAccount" | "getAccount" | "getUserByAccount" | "listAccountsByUserId">
>

const kind = "accounts"

export function accountMethods(run: RunOperation, keys: StoreKeys): AccountMethods {
  return {
    linkAccount: (account) =>
      run(async (redis) => {
        const { userId } = account
        const digest = digestOfAccount(account)
        return toAccount(await createOwned(redis, keys, { kind, digest, userId, record: account, expires: null }))
      }),
    unlinkAccount: (account) =>
      run(
        async (redis) =>
          toAccount(await takeOwned(redis, keys, { kind, digest: digestOfAccount(account) })) ?? undefined,
      ),
    getAccount: (providerAccountId, provider) =>
      run(async (redis) => {
        const found = await findOwned(redis, keys, { kind, digest: digestOfAccount({ provider, providerAccountId }) })
        return toAccount(found?.record ?? null)
      }),
    getUserByAccount: (account) =>
      run(async (redis) => {
        const found = await findOwned(redis, keys, { kind, digest: digestOfAccount(account) })
        return found && fromStored<AdapterUser>(found.user)
      }),
    listAccountsByUserId: (userId) =>
      run(async (redis) =>
        (await listOwnedRecords(redis, keys, kind, userId)).flatMap((hash) => toAccount(hash) ?? []),
      ),
  }
}

function toAccount(hash: StoredHash | null): AdapterAccount | null {
  return hash && fromStored<AdapterAccount>(hash)
}
