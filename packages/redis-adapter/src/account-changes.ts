import type { AccountChangeSelection, AdapterAccountChange, AdapterFeatures } from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./client.js"
import { addToIndex, readIndex, takeRecordIf } from "./feature-scripts.js"
import { digestOf, type StoreKeys } from "./keys.js"
import { findOwned, insertOwned, listOwned, toEntry } from "./owned-records.js"
import { removeFromLists } from "./scripts.js"
import { fromStored, type StoredHash, toMs, toStored, toStrings } from "./stored-hash.js"

type ChangeMethods = Required<
  Pick<AdapterFeatures, "createAccountChange" | "getAccountChange" | "listAccountChanges" | "deleteAccountChange">
>

const kind = "changes"

/** Each change has a key of its own, by its id. An index for each kind names the users that have one, and may name too many. */
export function accountChangeMethods(run: RunOperation, keys: StoreKeys): ChangeMethods {
  return {
    createAccountChange: (change) =>
      run(async (redis) => {
        const { id, userId, expires } = change
        const values = [digestOf(userId), String(toMs(expires)), String(Date.now())]
        await redis.run(addToIndex, [keys.changesOfKind(digestOf(change.kind))], values)
        const created = { kind, digest: digestOf(id), userId, record: change, expires } as const
        return (await insertOwned(redis, keys, created)) !== null
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
        const isTaken = Number(await redis.run(takeRecordIf, [keys.change(digest)], [field, expected])) === 1
        if (isTaken)
          await redis.run(removeFromLists, [keys.ofUser(change.userId)[kind]], [toEntry(found.record, digest)])
        return isTaken
      }),
  }
}

async function listChanges(
  redis: RedisSteps,
  keys: StoreKeys,
  selection: AccountChangeSelection,
): Promise<AdapterAccountChange[]> {
  if ("userId" in selection) return toChanges(await listOwned(redis, keys, kind, keys.ofUser(selection.userId)))
  const users = toStrings(await redis.run(readIndex, [keys.changesOfKind(digestOf(selection.kind))]))
  const listed = await Promise.all(users.map((digest) => listOwned(redis, keys, kind, keys.ofUserDigest(digest))))
  return toChanges(listed.flat()).filter((change) => change.kind === selection.kind)
}

function toChange(record: StoredHash | null): AdapterAccountChange | null {
  return record && fromStored<AdapterAccountChange>(record)
}

function toChanges(records: readonly StoredHash[]): AdapterAccountChange[] {
  return records.flatMap((record) => toChange(record) ?? [])
}
