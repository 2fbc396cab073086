import { digestOf } from "./digest.js"
import type { ItemKind, Items } from "./items.js"
import type { StoredItem } from "./key-value-storage.js"
import { findUser, type LivingUser } from "./living-user.js"
import { readField, toStored } from "./stored-fields.js"

/** Records that belong to a user. Each is listed under the user by a key of its own, so that nobody rewrites a list. */
export type OwnedKind = ItemKind & ("account" | "session" | "credential")

export const ownedKinds: readonly OwnedKind[] = ["account", "session", "credential"]

export interface OwnedRecord {
  readonly kind: OwnedKind
  readonly digest: string
}

export interface NewRecord extends OwnedRecord {
  readonly userId: string
  readonly record: object
  readonly notes?: Omit<StoredItem, "fields">
  readonly expires?: Date
}

/**
 * Keeps a record, unless there is one that belongs to somebody. Of several callers at the same moment the last one
 * wins.
 * @throws Error when there is no such user, or the record is there already
 */
export async function createOwned(items: Items, created: NewRecord): Promise<StoredItem> {
  const { kind, digest, userId, record, notes, expires } = created
  const owner = await findUser(items, userId)
  if (!owner) throw new Error("there is no such user")
  if (await findOwned(items, { kind, digest })) throw new Error("such a record exists already")
  const item = { ...notes, born: owner.born, by: crypto.randomUUID(), fields: toStored(record) }
  await items.put([`owned-${kind}`, await digestOf(userId), digest], { fields: {} }, expires)
  await items.put([kind, digest], item, expires)
  return item
}

/** A record and its user, if the user is there and is the one in whose life it was made. */
export async function findOwned(
  items: Items,
  { kind, digest }: OwnedRecord,
): Promise<{ readonly item: StoredItem; readonly owner: LivingUser } | null> {
  // A session that was ended is not there, whoever extended it in the same moment.
  const [item, ended] = await Promise.all([
    items.find(kind, digest),
    kind === "session" ? items.find("ended", digest) : null,
  ])
  if (item?.born === undefined || ended?.by === item.by) return null
  const owner = await findUser(items, readField(item, "userId"), item.born)
  return owner && { item, owner }
}

export async function listOwned(items: Items, kind: OwnedKind, userId: string): Promise<readonly StoredItem[]> {
  const digests = await items.list(`owned-${kind}`, await digestOf(userId))
  const found = await Promise.all(digests.map((digest) => findOwned(items, { kind, digest })))
  return found.flatMap((one) => (one?.owner.user.id === userId ? one.item : []))
}

/** Removes a record. Who asks at the same moment may get it too. */
export async function takeOwned(items: Items, { kind, digest }: OwnedRecord): Promise<StoredItem | null> {
  const found = await findOwned(items, { kind, digest })
  if (!found) return null
  await items.remove(kind, digest)
  await items.remove(`owned-${kind}`, await digestOf(found.owner.user.id), digest)
  return found.item
}

/** Removes all that a user had, given the digest of the id. */
export async function removeOwned(items: Items, kind: OwnedKind, userDigest: string): Promise<void> {
  for (const digest of await items.list(`owned-${kind}`, userDigest)) {
    const item = await items.find(kind, digest)
    // By now it may be another user's.
    if (item && (await digestOf(readField(item, "userId"))) === userDigest) {
      if (kind === "credential") await items.remove("use", digest, item.by ?? "")
      await items.remove(kind, digest)
    }
    await items.remove(`owned-${kind}`, userDigest, digest)
  }
}
