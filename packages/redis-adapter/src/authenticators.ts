import type { Adapter, AdapterAuthenticator } from "@latchkey/core/adapters"
import type { RunOperation } from "./operation.js"
import { createOwned, findOwned, listOwnedRecords, takeOwned } from "./owned-records.js"
import { changeRecord, raiseCounter } from "./scripts/record-scripts.js"
import { digestOf, type StoreKeys } from "./store-keys.js"
import { fromStored, type StoredHash, toHash, toStored } from "./stored-hash.js"

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

const kind = "credentials"

export function authenticatorMethods(run: RunOperation, keys: StoreKeys): AuthenticatorMethods {
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
      run(async (redis) =>
        (await listOwnedRecords(redis, keys, kind, userId)).flatMap((hash) => toAuthenticator(hash) ?? []),
      ),
    updateAuthenticatorCounter: (credentialID, newCounter) =>
      run(async (redis) => {
        if (!Number.isFinite(newCounter)) throw new TypeError("updateAuthenticatorCounter: the counter is no number")
        return toChanged(await redis.run(raiseCounter, [keyOf(credentialID)], [String(newCounter)]))
      }),
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      run(async (redis) => {
        const fields = toStored({ name, lastUsedAt, credentialBackedUp, transports })
        return toChanged(await redis.run(changeRecord, [keyOf(credentialID)], ["", ...fields]))
      }),
    deleteAuthenticator: (credentialID) =>
      run(async (redis) => toAuthenticator(await takeOwned(redis, keys, { kind, digest: digestOf(credentialID) }))),
  }
}

function toAuthenticator(hash: StoredHash | null): AdapterAuthenticator | null {
  return hash && fromStored<AdapterAuthenticator>(hash)
}

function getAuthenticator(hash: StoredHash): AdapterAuthenticator {
  return toAuthenticator(hash) ?? fail("there is no such authenticator")
}

function toChanged(reply: unknown): AdapterAuthenticator {
  return Array.isArray(reply) ? getAuthenticator(toHash(reply)) : fail("there is no such authenticator")
}

function fail(message: string): never {
  throw new Error(message)
}
