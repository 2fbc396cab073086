import type { Adapter, AdapterUser } from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./client.js"
import { createUniqueId, digestOf, type StoreKeys } from "./keys.js"
import { detailKeys, findSettledUser, type OwnedKind, ownedKinds, recordKey, toEntries } from "./owned-records.js"
import {
  changeEmail,
  claimEmail,
  createUser as createUserScript,
  deleteUser as deleteUserScript,
  discardChange,
  discardNewUser,
  discardRecord,
  markVerified,
  releaseEmail,
  removeFromLists,
  settleClaim,
  updateRecord,
} from "./scripts.js"
import { fromStored, readField, type StoredHash, toHash, toStored, toStrings } from "./stored-hash.js"

type UserMethods = Required<
  Pick<
    Adapter,
    | "createUser"
    | "getUser"
    | "getUserByEmail"
    | "updateUser"
    | "replaceEmail"
    | "deleteUser"
    | "markEmailVerified"
    | "isEmailVerified"
  >
>

/** Milliseconds after which the server forgets what an interrupted call has begun. A day: no call waits that long. */
const unfinishedMs = "86400000"

export function userMethods(run: RunOperation, keys: StoreKeys): UserMethods {
  return {
    createUser: (user) => run((redis) => createUser(redis, keys, user)),
    getUser: (id) => run(async (redis) => toUser(await findSettledUser(redis, keys, id))),
    getUserByEmail: (email) => run(async (redis) => toUser(await findByEmail(redis, keys, email))),
    updateUser: (changes) => run((redis) => updateUser(redis, keys, changes)),
    replaceEmail: ({ userId, from, to, emailVerified }) =>
      run(async (redis) => {
        if (from !== null && typeof from !== "string") return false
        // as: the contract's type has no null, which is a user without an address.
        const changes = { email: to as string, emailVerified }
        return (await changeAddress(redis, keys, { id: userId, changes, from })) !== null
      }),
    deleteUser: (id) => run((redis) => deleteUser(redis, keys, id)),
    markEmailVerified: ({ userId, email, provider }) =>
      run(async (redis) => {
        const { user, verifiedEmails } = keys.ofUser(userId)
        const isMarked = await redis.run(markVerified, [user, verifiedEmails], [digestOf(email), provider])
        if (Number(isMarked) !== 1) fail("markEmailVerified: the user does not exist")
      }),
    isEmailVerified: ({ id, email }) =>
      run(async (redis) => Object.hasOwn(await redis.readHash(keys.ofUser(id).verifiedEmails), digestOf(email))),
  }
}

/**
 * Creates the user, invisible to others; then claims the email, which one of many callers gets; then makes the user
 * visible.
 */
async function createUser(redis: RedisSteps, keys: StoreKeys, user: AdapterUser): Promise<AdapterUser> {
  const { id = crypto.randomUUID(), email } = user
  const fields = toStored({ ...user, id })
  const claim: Claim = { userId: id, id: createUniqueId() }
  const key = keys.ofUser(id).user
  const isCreated = await redis.run(createUserScript, [key], [claim.id, unfinishedMs, toEmailDigest(email), ...fields])
  if (Number(isCreated) !== 1) fail("createUser: the id is taken")
  if (toEmailDigest(email) === "") return getUser(toHash(fields))
  if (!(await holdEmail(redis, keys, email, claim))) {
    await redis.run(discardNewUser, [key], [claim.id])
    fail("createUser: the email is taken")
  }
  return getUser(await settle(redis, keys, claim))
}

/** Empty for a user without an email; there may be several of them. */
function toEmailDigest(email: unknown): string {
  if (typeof email === "string") return digestOf(email)
  return email === null || email === undefined ? "" : fail("email must be a string")
}

async function updateUser(
  redis: RedisSteps,
  keys: StoreKeys,
  { id, ...changes }: Partial<AdapterUser> & Pick<AdapterUser, "id">,
): Promise<AdapterUser> {
  if (changes.email !== undefined) return getUser(await changeAddress(redis, keys, { id, changes }))
  const updated = await redis.run(updateRecord, [keys.ofUser(id).user], ["", ...toStored(changes)])
  return getUser(Array.isArray(updated) ? toHash(updated) : null)
}

/** Changes of a user with a new email. */
interface AddressChange {
  readonly id: string
  readonly changes: Partial<AdapterUser>
  /** The email that the user must have; null for none. Default: any. */
  readonly from?: string | null
}

/**
 * Stores the changes as pending, claims the email, applies the changes, and releases the old email. Pending changes are
 * replaced by later ones, so that of several callers with the same old email one applies them.
 * @returns null without such a user
 * @throws Error if another user has the email, or if the user was updated or deleted at the same time; with `from`, that is
 *   null
 */
async function changeAddress(
  redis: RedisSteps,
  keys: StoreKeys,
  { id, changes, from }: AddressChange,
): Promise<StoredHash | null> {
  const { user, change } = keys.ofUser(id)
  const claim: Claim = { userId: id, id: createUniqueId() }
  const expected = from === null ? "none" : toEmailDigest(from)
  const values = [claim.id, unfinishedMs, toEmailDigest(changes.email), expected, ...toStored(changes)]
  const reply = await redis.run(changeEmail, [user, change], values)
  if (!Array.isArray(reply)) return null
  const [next, oldDigest, oldClaim, updatedNow] = reply
  const updated = next === "claim" ? await applyChange(redis, keys, changes.email ?? "", claim) : toHash(updatedNow)
  if (updated === null)
    return from === undefined ? fail("updateUser: the user was updated or deleted at the same time") : null
  if (next !== "done" && oldClaim !== "") await release(redis, keys, String(oldDigest), String(oldClaim))
  return updated
}

/** Null if the user was updated or deleted at the same time. */
async function applyChange(
  redis: RedisSteps,
  keys: StoreKeys,
  email: string,
  claim: Claim,
): Promise<StoredHash | null> {
  if (!(await holdEmail(redis, keys, email, claim))) {
    await redis.run(discardChange, [keys.ofUser(claim.userId).change], [claim.id])
    fail("The email is taken")
  }
  const updated = await settle(redis, keys, claim)
  if (updated !== null) return updated
  await release(redis, keys, digestOf(email), claim.id)
  return null
}

/**
 * The first step makes the user and all their records invisible to every reader. The rest frees the space; if it is
 * interrupted, another call can repeat it.
 */
async function deleteUser(redis: RedisSteps, keys: StoreKeys, id: string): Promise<AdapterUser | null> {
  const own = keys.ofUser(id)
  const lists = [own.addresses, ...ownedKinds.map((kind) => own[kind])]
  const owned = [own.user, own.change, own.verifiedEmails, own.password, ...detailKeys(own)]
  const reply = await redis.run(deleteUserScript, [...owned, ...lists])
  const [user, ...listed] = Array.isArray(reply) ? reply : []
  const [emails = [], ...records] = listed.map(toStrings)
  await Promise.all([
    ...toEntries(emails).map((entry) => release(redis, keys, entry.digest, entry.id)),
    ...ownedKinds.flatMap((kind, index) => discardAll(redis, keys, kind, records[index] ?? [])),
  ])
  const entries = [...emails, ...records.flat()]
  if (entries.length > 0) await redis.run(removeFromLists, lists, entries)
  const deleted = toHash(user)
  return deleted["fresh"] === undefined ? toUser(deleted) : null
}

function discardAll(
  redis: RedisSteps,
  keys: StoreKeys,
  kind: OwnedKind,
  entries: readonly string[],
): readonly Promise<unknown>[] {
  return toEntries(entries).map(({ id, digest }) => redis.run(discardRecord, [recordKey(keys, kind, digest)], [id]))
}

function toUser(hash: StoredHash | null): AdapterUser | null {
  return hash && fromStored<AdapterUser>(hash)
}

function getUser(hash: StoredHash | null): AdapterUser {
  return toUser(hash) ?? fail("The user does not exist")
}

function fail(message: string): never {
  throw new Error(message)
}

/** A user's claim of an email. It is valid as long as the user's own record names it. */
interface Claim {
  readonly userId: string
  /** Unique to this claim. */
  readonly id: string
}

/** How often to replace a stale claim, if other callers are faster each time. */
const maxAttempts = 5

/** Claims an email for a user. False if another user has it. */
async function holdEmail(redis: RedisSteps, keys: StoreKeys, email: string, claim: Claim): Promise<boolean> {
  const key = keys.email(digestOf(email))
  let stale = ""
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const held = await redis.run(claimEmail, [key], [JSON.stringify(claim.userId), claim.id, stale])
    if (!Array.isArray(held)) return true
    const other = { id: String(held[0]), userId: String(JSON.parse(String(held[1]))) }
    if ((await settle(redis, keys, other)) !== null) return false
    // Its user is gone or has another email. Claim ids are never reused, so it may be replaced.
    stale = other.id
  }
  return false
}

/** Completes a claim and returns its user; null if the claim is stale. */
async function settle(redis: RedisSteps, keys: StoreKeys, { userId, id }: Claim): Promise<StoredHash | null> {
  const { user, change } = keys.ofUser(userId)
  const settled = await redis.run(settleClaim, [user, change], [id])
  return Array.isArray(settled) ? toHash(settled) : null
}

/** Does nothing if the email is held under another claim. */
async function release(redis: RedisSteps, keys: StoreKeys, digest: string, claimId: string): Promise<void> {
  await redis.run(releaseEmail, [keys.email(digest)], [claimId])
}

async function findByEmail(redis: RedisSteps, keys: StoreKeys, email: string): Promise<StoredHash | null> {
  const held = await redis.readHash(keys.email(digestOf(email)))
  const userId = readField(held, "userId")
  const { claim } = held
  if (typeof userId !== "string" || claim === undefined) return null
  const user = await redis.readHash(keys.ofUser(userId).user)
  const isSettled = user["claim"] === claim && user["fresh"] === undefined
  return isSettled ? user : await settle(redis, keys, { userId, id: claim })
}
