import type { RedisSteps } from "./client.js"
import { endDetails, readTrackedUser } from "./feature-scripts.js"
import { createUniqueId, digestLength, type StoreKeys, type UserKeys, uniqueIdLength } from "./keys.js"
import { addToList, createRecord, discardRecord, readList, removeFromLists, takeRecord } from "./scripts.js"
import { readField, type StoredHash, toHash, toMs, toStored, toStrings } from "./stored-hash.js"

/**
 * The kinds of records that belong to a user and have keys, and so slots, of their own. Named like the user's lists.
 */
export const ownedKinds = ["accounts", "sessions", "credentials", "factors", "changes"] as const

export type OwnedKind = (typeof ownedKinds)[number]

const keyNames = {
  accounts: "account",
  sessions: "session",
  credentials: "credential",
  factors: "factor",
  changes: "change",
} as const

export function recordKey(keys: StoreKeys, kind: OwnedKind, digest: string): string {
  return keys[keyNames[kind]](digest)
}

/** Identifies a record by its kind and digest. */
export interface OwnedRecord {
  readonly kind: OwnedKind
  readonly digest: string
}

interface NewRecord extends OwnedRecord {
  readonly userId: string
  readonly record: object
  /** Null if the record does not expire. */
  readonly expires: Date | null
  /** The digest of the id of its details, for a session that is valid only while they exist. */
  readonly tracked?: string
}

/** @throws Error if the user does not exist, or the record already does */
export async function createOwned(redis: RedisSteps, keys: StoreKeys, created: NewRecord): Promise<StoredHash> {
  const inserted = await insertOwned(redis, keys, created)
  if (inserted === null) throw new Error("The record already exists")
  return inserted
}

/**
 * Creates a record: first it is added to the user's list, then it is created, which succeeds for one of many callers. A
 * list may name a missing record; a record counts only for the incarnation of its user in which it was created. Null if the
 * record exists.
 * @throws Error if the user does not exist
 */
export async function insertOwned(redis: RedisSteps, keys: StoreKeys, created: NewRecord): Promise<StoredHash | null> {
  const { kind, digest, userId, record, expires, tracked } = created
  const own = keys.ofUser(userId)
  const expiryMs = expires === null ? "" : String(toMs(expires))
  const score = expiryMs || String(Date.now())
  const born = await redis.run(addToList, [own.user, own[kind]], [digest, score, expiryMs && String(Date.now())])
  if (typeof born !== "string") throw new Error("The user does not exist")
  const fields = [...(tracked === undefined ? [] : ["tracked", tracked]), ...toStored(record)]
  const key = recordKey(keys, kind, digest)
  if (!(await insert(redis, keys, { key, born, expiryMs, fields }))) return null
  // A record that does not expire would stay forever if its user was deleted in the meantime.
  if (expires === null && !(await isAlive(redis, keys, userId, born))) {
    await redis.run(discardRecord, [key], [born])
    throw new Error("The user was deleted at the same time")
  }
  return toHash(fields)
}

interface Insertion {
  readonly key: string
  readonly born: string
  readonly expiryMs: string
  readonly fields: readonly string[]
}

/** How often to replace a record whose owner is gone, if other callers are faster each time. */
const maxAttempts = 5

/** False if the record exists. */
async function insert(redis: RedisSteps, keys: StoreKeys, inserted: Insertion): Promise<boolean> {
  const { key, born, expiryMs, fields } = inserted
  const by = createUniqueId()
  let dead = ""
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const held = await redis.run(createRecord, [key], [born, by, expiryMs, dead, ...fields])
    if (!Array.isArray(held)) return true
    const [heldBorn, owner] = toStrings(held)
    if (heldBorn === undefined || !owner) return false
    if (await isAlive(redis, keys, String(JSON.parse(owner)), heldBorn)) return false
    dead = heldBorn
  }
  return false
}

/** Whether the user exists in this incarnation. */
async function isAlive(redis: RedisSteps, keys: StoreKeys, userId: string, born: string): Promise<boolean> {
  return (await redis.readHash(keys.ofUser(userId).user))["born"] === born
}

/** A record and its user, if the user exists in the incarnation in which the record was created. */
export async function findOwned(
  redis: RedisSteps,
  keys: StoreKeys,
  { kind, digest }: OwnedRecord,
): Promise<{ readonly record: StoredHash; readonly user: StoredHash } | null> {
  const record = await redis.readHash(recordKey(keys, kind, digest))
  const userId = readField(record, "userId")
  if (typeof userId !== "string") return null
  const user = await findOwner(redis, keys, { userId, digest, tracked: record["tracked"] })
  return user && user["born"] === record["born"] ? { record, user } : null
}

/** The position of the digest of the session token in the record of a session's details. */
export const sessionDigestPosition: number = uniqueIdLength + 2 * digestLength

/** The keys of the details of a user's sessions, in the order that scripts expect. */
export function detailKeys({ details, lastUses, ends }: UserKeys): readonly string[] {
  return [details, lastUses, ends]
}

interface OwnerOf {
  readonly userId: string
  readonly digest: string
  readonly tracked: string | undefined
}

/** The user of a record; null for a session whose details are gone. */
async function findOwner(
  redis: RedisSteps,
  keys: StoreKeys,
  { userId, digest, tracked }: OwnerOf,
): Promise<StoredHash | null> {
  if (tracked === undefined) return await findSettledUser(redis, keys, userId)
  const { user, details } = keys.ofUser(userId)
  const values = [tracked, String(sessionDigestPosition), digest]
  return settled(toHash(await redis.run(readTrackedUser, [user, details], values)))
}

/** The user, unless their email is still being claimed. */
export async function findSettledUser(redis: RedisSteps, keys: StoreKeys, id: string): Promise<StoredHash | null> {
  return settled(await redis.readHash(keys.ofUser(id).user))
}

function settled(user: StoredHash): StoredHash | null {
  return user["born"] === undefined || user["fresh"] !== undefined ? null : user
}

/** All records of a kind that a user has, oldest first. */
export async function listOwned(
  redis: RedisSteps,
  keys: StoreKeys,
  kind: OwnedKind,
  own: UserKeys,
): Promise<readonly StoredHash[]> {
  const reply = await redis.run(readList, [own.user, own[kind]])
  if (!Array.isArray(reply)) return []
  const [born, entries] = reply
  const current = toEntries(toStrings(entries)).filter(({ id }) => id === born)
  const records = await Promise.all(current.map(({ digest }) => redis.readHash(recordKey(keys, kind, digest))))
  return records.filter((record) => record["born"] === born)
}

/** Deletes a record and returns it to the one caller that did. */
export async function takeOwned(
  redis: RedisSteps,
  keys: StoreKeys,
  { kind, digest }: OwnedRecord,
): Promise<StoredHash | null> {
  const record = toHash(await redis.run(takeRecord, [recordKey(keys, kind, digest)]))
  const userId = readField(record, "userId")
  if (typeof userId !== "string") return null
  try {
    const own = keys.ofUser(userId)
    const { tracked } = record
    if (tracked !== undefined) await redis.run(endDetails, detailKeys(own), [String(Date.now()), "0", tracked, ""])
    await redis.run(removeFromLists, [own[kind]], [toEntry(record, digest)])
  } catch {
    // The record is deleted, which is what matters: a list may name a missing record.
  }
  return record
}

/** The entry of a record in the user's list. */
export function toEntry(record: StoredHash, digest: string): string {
  return `${record["born"]}${digest}`
}

/** An entry of a user's list. The id is the user's `born`; in the list of emails, it is the claim. */
export interface ListEntry {
  readonly id: string
  readonly digest: string
}

export function toEntries(entries: readonly string[]): readonly ListEntry[] {
  return entries.map((entry) => ({ id: entry.slice(0, uniqueIdLength), digest: entry.slice(uniqueIdLength) }))
}
