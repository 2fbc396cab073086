import type { RedisSteps } from "./operation.js"
import { randomText, randomTextLength } from "./random-text.js"
import { createRecord, discardRecord, takeRecord } from "./scripts/record-scripts.js"
import { disownRecords, listOwned, ownRecord } from "./scripts/user-scripts.js"
import type { StoreKeys } from "./store-keys.js"
import { readField, type StoredHash, toHash, toStored, toTexts } from "./stored-hash.js"

/** Records that belong to a user and have a key, and so a slot, of their own. Named as the user's list of them. */
export const ownedKinds = ["accounts", "sessions", "credentials"] as const

export type OwnedKind = (typeof ownedKinds)[number]

const keyNames = { accounts: "account", sessions: "session", credentials: "credential" } as const

export function recordKey(keys: StoreKeys, kind: OwnedKind, digest: string): string {
  return keys[keyNames[kind]](digest)
}

/** Which record: of what kind, and by which digest it is found. */
export interface OwnedRecord {
  readonly kind: OwnedKind
  readonly digest: string
}

export interface NewRecord extends OwnedRecord {
  readonly userId: string
  readonly record: object
  /** Null: for good. */
  readonly expires: Date | null
}

/** How often a record whose owner is gone is tried again; each time another caller came first. */
const attempts = 5

/**
 * First the user's list has the record, then the record is made, which one of many callers does. A list may hold what
 * is not there; what counts is the record, as long as the life of its user lasts in which it was made.
 * @throws Error when there is no such user, or the record is there already
 */
export async function createOwned(redis: RedisSteps, keys: StoreKeys, created: NewRecord): Promise<StoredHash> {
  const { kind, digest, userId, record, expires } = created
  const own = keys.ofUser(userId)
  const expiryMs = expires === null ? "" : String(toMs(expires))
  const score = expiryMs || String(Date.now())
  const born = await redis.run(ownRecord, [own.user, own[kind]], [digest, score, expiryMs && String(Date.now())])
  if (typeof born !== "string") throw new Error("there is no such user")
  const fields = toStored(record)
  const values = { key: recordKey(keys, kind, digest), born, expiryMs, fields }
  if (!(await insert(redis, keys, values))) throw new Error("such a record exists already")
  if (expires === null) await assertLasting(redis, keys, { userId, born, key: values.key })
  return toHash(fields)
}

interface Insertion {
  readonly key: string
  readonly born: string
  readonly expiryMs: string
  readonly fields: readonly string[]
}

async function insert(redis: RedisSteps, keys: StoreKeys, inserted: Insertion): Promise<boolean> {
  const { key, born, expiryMs, fields } = inserted
  const by = randomText()
  let dead = ""
  for (let attempt = 0; attempt < attempts; attempt++) {
    const held = await redis.run(createRecord, [key], [born, by, expiryMs, dead, ...fields])
    if (!Array.isArray(held)) return true
    const [heldBorn, owner] = toTexts(held)
    if (heldBorn === undefined || !owner || (await isAlive(redis, keys, String(JSON.parse(owner)), heldBorn)))
      return false
    dead = heldBorn
  }
  return false
}

/** Should the user have been removed in the meantime, nobody would ever remove the record. */
async function assertLasting(
  redis: RedisSteps,
  keys: StoreKeys,
  { userId, born, key }: { readonly userId: string; readonly born: string; readonly key: string },
): Promise<void> {
  if (await isAlive(redis, keys, userId, born)) return
  await redis.run(discardRecord, [key], [born])
  throw new Error("the user was removed at the same time")
}

async function isAlive(redis: RedisSteps, keys: StoreKeys, userId: string, born: string): Promise<boolean> {
  return (await redis.readHash(keys.ofUser(userId).user))["born"] === born
}

/** A record and its user, if the user is there and is the one in whose life it was made. */
export async function findOwned(
  redis: RedisSteps,
  keys: StoreKeys,
  { kind, digest }: OwnedRecord,
): Promise<{ readonly record: StoredHash; readonly user: StoredHash } | null> {
  const record = await redis.readHash(recordKey(keys, kind, digest))
  const userId = readField(record, "userId")
  if (typeof userId !== "string") return null
  const user = await findLiving(redis, keys, userId)
  return user && user["born"] === record["born"] ? { record, user } : null
}

/** A user who is there: not one whose address is still being claimed. */
export async function findLiving(redis: RedisSteps, keys: StoreKeys, id: string): Promise<StoredHash | null> {
  const user = await redis.readHash(keys.ofUser(id).user)
  return user["born"] === undefined || user["fresh"] !== undefined ? null : user
}

/** All records of a kind that a user has, the oldest first. */
export async function listOwnedRecords(
  redis: RedisSteps,
  keys: StoreKeys,
  kind: OwnedKind,
  userId: string,
): Promise<readonly StoredHash[]> {
  const own = keys.ofUser(userId)
  const reply = await redis.run(listOwned, [own.user, own[kind]])
  if (!Array.isArray(reply)) return []
  const [living, entries] = reply
  const current = toEntries(toTexts(entries)).filter(({ mark }) => mark === living)
  const records = await Promise.all(current.map(({ digest }) => redis.readHash(recordKey(keys, kind, digest))))
  return records.filter((record) => record["born"] === living)
}

/** Removes a record and gives it to the one caller who did. */
export async function takeOwned(
  redis: RedisSteps,
  keys: StoreKeys,
  { kind, digest }: OwnedRecord,
): Promise<StoredHash | null> {
  const record = toHash(await redis.run(takeRecord, [recordKey(keys, kind, digest)]))
  const userId = readField(record, "userId")
  if (typeof userId !== "string") return null
  try {
    await redis.run(disownRecords, [keys.ofUser(userId)[kind]], [toEntry(record, digest)])
  } catch {
    // The record is gone, which is what was asked for. A list may hold what is not there.
  }
  return record
}

/** How a user's list has a record. */
export function toEntry(record: StoredHash, digest: string): string {
  return `${record["born"]}${digest}`
}

/** An entry of a user's list. The mark is `born` of the user; in a list of addresses it is the claim. */
export interface ListEntry {
  readonly mark: string
  readonly digest: string
}

export function toEntries(entries: readonly string[]): readonly ListEntry[] {
  return entries.map((entry) => ({ mark: entry.slice(0, randomTextLength), digest: entry.slice(randomTextLength) }))
}

/** @throws TypeError for what is no date */
export function toMs(instant: Date): number {
  const ms = instant.valueOf()
  if (Number.isNaN(ms)) throw new TypeError("expires holds no date")
  return ms
}
