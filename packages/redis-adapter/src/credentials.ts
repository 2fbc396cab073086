import type { AdapterFactor, AdapterFeatures, StoredPassword } from "@latchkey/core/adapters"
import type { RunOperation } from "./client.js"
import { dropLease, setPassword, takeLease, updateRecordIf } from "./feature-scripts.js"
import { createUniqueId, digestOf, digestOfAccount, type StoreKeys } from "./keys.js"
import { createOwned, listOwned, takeOwned } from "./owned-records.js"
import { createRecord, takeRecord } from "./scripts.js"
import { fromStored, toHash, toMs, toStored } from "./stored-hash.js"

type TemporaryMethods = Required<Pick<AdapterFeatures, "keepTemporary" | "takeTemporary" | "takeLease" | "dropLease">>

/** Values and leases, which the server deletes when they expire. */
export function temporaryMethods(run: RunOperation, keys: StoreKeys): TemporaryMethods {
  return {
    keepTemporary: ({ id, value, expires }) =>
      run(async (redis) => {
        const by = createUniqueId()
        const values = [by, by, String(toMs(expires)), "", ...toStored({ value })]
        const held = await redis.run(createRecord, [keys.temporary(digestOf(id))], values)
        if (Array.isArray(held)) throw new Error("keepTemporary: the id already exists")
      }),
    takeTemporary: (id) =>
      run(async (redis) => {
        const taken = toHash(await redis.run(takeRecord, [keys.temporary(digestOf(id))]))
        return fromStored<{ value: string }>(taken)?.value ?? null
      }),
    takeLease: ({ id, holder, until }) =>
      run(async (redis) => {
        const values = [digestOf(holder), String(toMs(until, "until"))]
        return Number(await redis.run(takeLease, [keys.lease(digestOf(id))], values)) === 1
      }),
    dropLease: ({ id, holder }) =>
      run(async (redis) => await redis.run(dropLease, [keys.lease(digestOf(id))], [digestOf(holder)])),
  }
}

type CredentialMethods = Required<
  Pick<
    AdapterFeatures,
    | "replaceTokens"
    | "getPassword"
    | "setPassword"
    | "deletePassword"
    | "listFactors"
    | "createFactor"
    | "changeFactor"
    | "deleteFactor"
  >
>

/** A password is in its user's slot, a second factor in its own. */
export function credentialMethods(run: RunOperation, keys: StoreKeys): CredentialMethods {
  const kind = "factors"
  return {
    replaceTokens: (account, { from, tokens }) =>
      run(async (redis) => {
        if (from !== null && typeof from !== "string") return false
        const [field = "", expected = ""] = toStored({ refresh_token: from })
        const values = [field, from === null ? "" : expected, createUniqueId(), ...toStored(tokens)]
        return Number(await redis.run(updateRecordIf, [keys.account(digestOfAccount(account))], values)) === 1
      }),
    getPassword: (userId) =>
      run(async (redis) => fromStored<StoredPassword>(await redis.readHash(keys.ofUser(userId).password))),
    setPassword: ({ userId, hash, changedAt, from }) =>
      run(async (redis) => {
        const { user, password } = keys.ofUser(userId)
        const expected = from === null ? "" : toStored({ from })[1]
        if (expected === undefined) return false
        const values = [expected, createUniqueId(), ...toStored({ userId, hash, changedAt })]
        const stored = Number(await redis.run(setPassword, [user, password], values))
        if (stored === -1) throw new Error("setPassword: the user does not exist")
        return stored === 1
      }),
    deletePassword: (userId) => run(async (redis) => await redis.run(takeRecord, [keys.ofUser(userId).password])),
    listFactors: (userId) =>
      run(async (redis) => {
        const records = await listOwned(redis, keys, kind, keys.ofUser(userId))
        return records.flatMap((hash) => fromStored<AdapterFactor>(hash) ?? [])
      }),
    createFactor: (factor) =>
      run(async (redis) => {
        const { id, userId } = factor
        await createOwned(redis, keys, { kind, digest: digestOf(id), userId, record: factor, expires: null })
      }),
    changeFactor: ({ id, from, secret, label, lastStep, lastUsedAt }) =>
      run(async (redis) => {
        const changes = toStored({ secret, label, lastStep, lastUsedAt, version: from + 1 })
        const values = [...toStored({ version: from }), createUniqueId(), ...changes]
        return Number(await redis.run(updateRecordIf, [keys.factor(digestOf(id))], values)) === 1
      }),
    deleteFactor: (id) => run(async (redis) => await takeOwned(redis, keys, { kind, digest: digestOf(id) })),
  }
}
