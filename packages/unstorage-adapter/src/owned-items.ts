import type { AdapterUser } from "@latchkey/core/adapters"
import { digestOf, fromStored, type ItemKind, type Items, readField, type StoredItem, toStored } from "./items.js"

/** A user and the id of their incarnation. */
export interface ExistingUser {
  readonly born: string
  readonly user: AdapterUser
}

/** @param incarnation if given, finds the user only in this incarnation */
export async function findUser(items: Items, id: unknown, incarnation?: string): Promise<ExistingUser | null> {
  const digest = await digestOf(id)
  const marker = items.find("user", digest)
  // With a known incarnation, both items are read in parallel.
  const born = incarnation ?? (await marker)?.born
  if (born === undefined) return null
  const [found, profile] = await Promise.all([marker, items.find("profile", digest, born)])
  return found?.born === born && profile ? { born, user: fromStored(profile) } : null
}

/** Records that belong to a user. Each is listed under the user by a key of its own, so that no list is rewritten. */
export type OwnedKind = ItemKind & ("account" | "session" | "credential")

export const ownedKinds: readonly OwnedKind[] = ["account", "session", "credential"]

/** Identifies a record by its kind and digest. */
export interface OwnedRecord {
  readonly kind: OwnedKind
  readonly digest: string
}

interface NewRecord extends OwnedRecord {
  readonly userId: string
  readonly record: object
  readonly properties?: Omit<StoredItem, "fields">
  readonly expires?: Date
}

/**
 * Creates a record unless an existing user has it. Of several concurrent callers, the last one wins.
 * @throws Error if the user does not exist, or the record already does
 */
export async function createOwned(items: Items, created: NewRecord): Promise<StoredItem> {
  const { kind, digest, userId, record, properties, expires } = created
  const owner = await findUser(items, userId)
  if (!owner) throw new Error("The user does not exist")
  if (await findOwned(items, { kind, digest })) throw new Error("The record already exists")
  const item = { ...properties, born: owner.born, by: crypto.randomUUID(), fields: toStored(record) }
  await items.put([`owned-${kind}`, await digestOf(userId), digest], { fields: {} }, expires)
  await items.put([kind, digest], item, expires)
  return item
}

/** A record and its user, if the user exists in the incarnation in which the record was created. */
export async function findOwned(
  items: Items,
  { kind, digest }: OwnedRecord,
): Promise<{ readonly item: StoredItem; readonly owner: ExistingUser } | null> {
  // A deleted session stays deleted, even if another call has extended it at the same time.
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

/** Deletes a record and returns it. Concurrent callers may all get it. */
export async function takeOwned(items: Items, { kind, digest }: OwnedRecord): Promise<StoredItem | null> {
  const found = await findOwned(items, { kind, digest })
  if (!found) return null
  await items.remove(kind, digest)
  await items.remove(`owned-${kind}`, await digestOf(found.owner.user.id), digest)
  return found.item
}

/** Deletes all records of a kind that a user had. */
export async function removeOwned(items: Items, kind: OwnedKind, userDigest: string): Promise<void> {
  for (const digest of await items.list(`owned-${kind}`, userDigest)) {
    const item = await items.find(kind, digest)
    // It may belong to another user by now.
    if (item && (await digestOf(readField(item, "userId"))) === userDigest) {
      if (kind === "credential") await items.remove("use", digest, item.by ?? "")
      await items.remove(kind, digest)
    }
    await items.remove(`owned-${kind}`, userDigest, digest)
  }
}
