import type { AccountChangeSelection, AdapterAccountChange, AdapterFeatures } from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./client.js"
import { addToKind, readKind, removeFromKind, takeRecordIf } from "./feature-scripts.js"
import { createUniqueId, digestOf, type StoreKeys } from "./keys.js"
import { findOwned, insertOwned, listOwned, toEntry } from "./owned-records.js"
import { removeFromLists } from "./scripts.js"
import { fromStored, type StoredHash, toMs, toStored, toStrings } from "./stored-hash.js"

type ChangeMethods = Required<
  Pick<AdapterFeatures, "createAccountChange" | "getAccountChange" | "listAccountChanges" | "deleteAccountChange">
>

const kind = "changes"

/** Each change has a key of its own, by its id. An index for each kind names its changes, and may name too many. */
export function accountChangeMethods(run: RunOperation, keys: StoreKeys): ChangeMethods {
  return {
    createAccountChange: (change) =>
      run(async (redis) => {
        const { id, userId, expires } = change
        const digest = digestOf(id)
        const index = () => {
          const values = [digest, String(toMs(expires)), String(Date.now())]
          return redis.run(addToKind, [keys.changesOfKind(digestOf(change.kind))], values)
        }
        await index()
        const created = { kind, digest, userId, record: change, expires } as const
        if ((await insertOwned(redis, keys, created)) === null) return false
        // Again: a listing in between removes the entry, because its change does not exist yet.
        await index()
        return true
      }),
    getAccountChange: (id) =>
      run(async (redis) => toChange((await findOwned(redis, keys, { kind, digest: digestOf(id) }))?.record ?? null)),
    listAccountChanges: (selection) => run((redis) => listChanges(redis, keys, selection)),
    deleteAccountChange: ({ id, value }) =>
      run(async (redis) => {
        const digest = digestOf(id)
        const found = await findOwned(redis, keys, { kind, digest })
        const change = found && toChange(found.record)
        const [field = "", expected = ""] = typeof value === "string" ? toStored({ value }) : []
        if (!found || !change || expected === "") return false
        const isTaken =
          Number(await redis.run(takeRecordIf, [keys.change(digest)], [field, expected, createUniqueId()])) === 1
        if (!isTaken) return false
        await redis.run(removeFromLists, [keys.ofUser(change.userId)[kind]], [toEntry(found.record, digest)])
        const ofKind = keys.changesOfKind(digestOf(change.kind))
        await redis.run(removeFromKind, [ofKind], [digest, String(toMs(change.expires))])
        return true
      }),
  }
}

async function listChanges(
  redis: RedisSteps,
  keys: StoreKeys,
  selection: AccountChangeSelection,
): Promise<AdapterAccountChange[]> {
  if ("userId" in selection) return toChanges(await listOwned(redis, keys, kind, keys.ofUser(selection.userId)))
  const index = keys.changesOfKind(digestOf(selection.kind))
  const entries = toStrings(await redis.run(readKind, [index]))
  const found = await Promise.all(
    Array.from({ length: entries.length / 2 }, async (_, n) => {
      const [digest = "", end = ""] = entries.slice(n * 2, n * 2 + 2)
      const change = toChange((await findOwned(redis, keys, { kind, digest }))?.record ?? null)
      return { entry: [digest, end], change: change?.kind === selection.kind ? change : null }
    }),
  )
  const gone = found.flatMap(({ entry, change }) => (change ? [] : entry))
  if (gone.length > 0) await redis.run(removeFromKind, [index], gone)
  return found.flatMap(({ change }) => change ?? [])
}

function toChange(record: StoredHash | null): AdapterAccountChange | null {
  return record && fromStored<AdapterAccountChange>(record)
}

function toChanges(records: readonly StoredHash[]): AdapterAccountChange[] {
  return records.flatMap((record) => toChange(record) ?? [])
}
