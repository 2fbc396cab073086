import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser } from "@latchkey/core/adapters"
import type { RunOperation } from "./client.js"
import { digestOf, digestOfAccount, type StoreKeys } from "./keys.js"
import { createOwned, findOwned, listOwned, takeOwned } from "./owned-records.js"
import { raiseCounter, updateRecord } from "./scripts.js"
import { fromStored, type StoredHash, toHash, toStored } from "./stored-hash.js"

type AccountMethods = Required<
  Pick<Adapter, "linkAccount" | "unlinkAccount" | "getAccount" | "getUserByAccount" | "listAccountsByUserId">
>

export function accountMethods(run: RunOperation, keys: StoreKeys): AccountMethods {
  const kind = "accounts"
  return {
    linkAccount: (account) =>
      run(async (redis) => {
        const { userId } = account
        const digest = digestOfAccount(account)
        return toAccount(await createOwned(redis, keys, { kind, digest, userId, record: account, expires: null }))
      }),
    unlinkAccount: (account) =>
      run(async (redis) => {
        const taken = await takeOwned(redis, keys, { kind, digest: digestOfAccount(account) })
        return toAccount(taken) ?? undefined
      }),
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
      run(async (redis) => {
        const records = await listOwned(redis, keys, kind, keys.ofUser(userId))
        return records.flatMap((hash) => toAccount(hash) ?? [])
      }),
  }
}

function toAccount(hash: StoredHash | null): AdapterAccount | null {
  return hash && fromStored<AdapterAccount>(hash)
}

type AuthenticatorMethods = Required<
  Pick<
    Adapter,
    | "createAuthenticator"
    | "getAuthenticator"
    | "listAuthenticatorsByUserId"
    | "updateAuthenticatorCounter"
    | "updateAuthenticator"
    | "deleteAuthenticator"
  >
>

export function authenticatorMethods(run: RunOperation, keys: StoreKeys): AuthenticatorMethods {
  const kind = "credentials"
  const keyOf = (credentialID: string) => keys.credential(digestOf(credentialID))
  return {
    createAuthenticator: (authenticator) =>
      run(async (redis) => {
        const { userId, credentialID } = authenticator
        const record = { kind, digest: digestOf(credentialID), userId, record: authenticator, expires: null } as const
        return getAuthenticator(await createOwned(redis, keys, record))
      }),
    getAuthenticator: (credentialID) =>
      run(async (redis) => {
        const found = await findOwned(redis, keys, { kind, digest: digestOf(credentialID) })
        return toAuthenticator(found?.record ?? null)
      }),
    listAuthenticatorsByUserId: (userId) =>
      run(async (redis) => {
        const records = await listOwned(redis, keys, kind, keys.ofUser(userId))
        return records.flatMap((hash) => toAuthenticator(hash) ?? [])
      }),
    updateAuthenticatorCounter: (credentialID, newCounter) =>
      run(async (redis) => {
        if (!Number.isFinite(newCounter))
          throw new TypeError("updateAuthenticatorCounter: the counter must be a finite number")
        return toUpdated(await redis.run(raiseCounter, [keyOf(credentialID)], [String(newCounter)]))
      }),
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      run(async (redis) => {
        const fields = toStored({ name, lastUsedAt, credentialBackedUp, transports })
        return toUpdated(await redis.run(updateRecord, [keyOf(credentialID)], ["", ...fields]))
      }),
    deleteAuthenticator: (credentialID) =>
      run(async (redis) => toAuthenticator(await takeOwned(redis, keys, { kind, digest: digestOf(credentialID) }))),
  }
}

function toAuthenticator(hash: StoredHash | null): AdapterAuthenticator | null {
  return hash && fromStored<AdapterAuthenticator>(hash)
}

/** Reads the reply of a script that updates a record. */
function toUpdated(reply: unknown): AdapterAuthenticator {
  return getAuthenticator(toHash(Array.isArray(reply) ? reply : []))
}

function getAuthenticator(hash: StoredHash): AdapterAuthenticator {
  const authenticator = toAuthenticator(hash)
  if (!authenticator) throw new Error("The authenticator does not exist")
  return authenticator
}
