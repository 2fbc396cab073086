import type { Adapter, AdapterUser, VerifiedEmail } from "@latchkey/core/adapters"
import { type Claim, findByAddress, holdAddress, releaseClaim, settle } from "./claims.js"
import type { RedisSteps, RunOperation } from "./operation.js"
import { findLiving, type OwnedKind, ownedKinds, recordKey, toEntries } from "./owned-records.js"
import { randomText } from "./random-text.js"
import { changeRecord, discardRecord } from "./scripts/record-scripts.js"
import {
  changeAddress,
  createUser as createUserScript,
  disownRecords,
  dropChange,
  forgetFreshUser,
  proveAddress,
  removeUser as removeUserScript,
} from "./scripts/user-scripts.js"
import { digestOf, type StoreKeys } from "./store-keys.js"
import { fromStored, type StoredHash, toHash, toStored, toTexts } from "./stored-hash.js"

type UserMethods = Required<
  Pick<
    Adapter,
    "createUser" | "getUser" | "getUserByEmail" | "updateUser" | "deleteUser" | "markEmailVerified" | "isEmailVerified"
  >
>

/**
 * After how many milliseconds the server forgets what was begun by a caller who was cut off. A day: nobody waits as
 * long.
 */
const unfinishedMs = "86400000"

export function userMethods(run: RunOperation, keys: StoreKeys): UserMethods {
  return {
    createUser: (user) => run((redis) => createUser(redis, keys, user)),
    getUser: (id) => run(async (redis) => toUser(await findLiving(redis, keys, id))),
    getUserByEmail: (email) => run(async (redis) => toUser(await findByAddress(redis, keys, email))),
    updateUser: (changes) => run((redis) => updateUser(redis, keys, changes)),
    deleteUser: (id) => run((redis) => deleteUser(redis, keys, id)),
    markEmailVerified: (vouched) => run((redis) => markEmailVerified(redis, keys, vouched)),
    isEmailVerified: ({ id, email }) =>
      run(async (redis) => Object.hasOwn(await redis.readHash(keys.ofUser(id).proven), digestOf(email))),
  }
}

function toUser(hash: StoredHash | null): AdapterUser | null {
  return hash && fromStored<AdapterUser>(hash)
}

function getUser(hash: StoredHash | null): AdapterUser {
  return toUser(hash) ?? fail("there is no such user")
}

/** First the user, whom nobody sees yet; then the address, which one of many gets; then the user is there. */
async function createUser(redis: RedisSteps, keys: StoreKeys, user: AdapterUser): Promise<AdapterUser> {
  const { id = crypto.randomUUID(), email } = user
  const fields = toStored({ ...user, id })
  const mine: Claim = { userId: id, claim: randomText() }
  const key = keys.ofUser(id).user
  const isMade = await redis.run(createUserScript, [key], [mine.claim, unfinishedMs, toAddress(email), ...fields])
  if (Number(isMade) !== 1) fail("createUser: the id is taken")
  if (toAddress(email) === "") return getUser(toHash(fields))
  if (!(await holdAddress(redis, keys, email, mine))) {
    await redis.run(forgetFreshUser, [key], [mine.claim])
    fail("createUser: the email is taken")
  }
  return getUser(await settle(redis, keys, mine))
}

/** Under which digest an address is held. Empty for a user without one, of whom there may be many. */
function toAddress(email: unknown): string {
  if (typeof email === "string") return digestOf(email)
  return email === null || email === undefined ? "" : fail("email must be text")
}

async function updateUser(
  redis: RedisSteps,
  keys: StoreKeys,
  { id, ...changes }: Partial<AdapterUser> & Pick<AdapterUser, "id">,
): Promise<AdapterUser> {
  if (changes.email !== undefined) return await updateAddress(redis, keys, id, changes)
  const changed = await redis.run(changeRecord, [keys.ofUser(id).user], ["", ...toStored(changes)])
  return getUser(Array.isArray(changed) ? toHash(changed) : null)
}

/**
 * First the changes are put down, then the address is claimed, then they are made, then the old address is given back.
 */
async function updateAddress(
  redis: RedisSteps,
  keys: StoreKeys,
  id: string,
  changes: Partial<AdapterUser>,
): Promise<AdapterUser> {
  const { user, change } = keys.ofUser(id)
  const mine: Claim = { userId: id, claim: randomText() }
  const values = [mine.claim, unfinishedMs, toAddress(changes.email), ...toStored(changes)]
  const reply = await redis.run(changeAddress, [user, change], values)
  if (!Array.isArray(reply)) return fail("there is no such user")
  const [todo, oldAddress, oldClaim, done] = reply
  const changed = todo === "claim" ? await claimChange(redis, keys, changes.email ?? "", mine) : toHash(done)
  if (todo !== "done" && oldClaim !== "") await releaseClaim(redis, keys, String(oldAddress), String(oldClaim))
  return getUser(changed)
}

async function claimChange(redis: RedisSteps, keys: StoreKeys, email: string, mine: Claim): Promise<StoredHash> {
  if (!(await holdAddress(redis, keys, email, mine))) {
    await redis.run(dropChange, [keys.ofUser(mine.userId).change], [mine.claim])
    fail("updateUser: the email is taken")
  }
  const changed = await settle(redis, keys, mine)
  if (changed !== null) return changed
  await releaseClaim(redis, keys, digestOf(email), mine.claim)
  return fail("updateUser: the user was changed or removed at the same time")
}

/**
 * The first step ends the user and all that belongs to them for every reader. The rest gives the space back, and can be
 * done again by another call when it was cut off.
 */
async function deleteUser(redis: RedisSteps, keys: StoreKeys, id: string): Promise<AdapterUser | null> {
  const own = keys.ofUser(id)
  const lists = [own.addresses, ...ownedKinds.map((kind) => own[kind])]
  const reply = await redis.run(removeUserScript, [own.user, own.change, own.proven, ...lists])
  const [user, ...listed] = Array.isArray(reply) ? reply : []
  const [addresses = [], ...owned] = listed.map(toTexts)
  await Promise.all([
    ...toEntries(addresses).map(({ mark, digest }) => releaseClaim(redis, keys, digest, mark)),
    ...ownedKinds.flatMap((kind, index) => discard(redis, keys, kind, owned[index] ?? [])),
  ])
  const entries = [...addresses, ...owned.flat()]
  if (entries.length > 0) await redis.run(disownRecords, lists, entries)
  const removed = toHash(user)
  return removed["fresh"] === undefined ? toUser(removed) : null
}

function discard(
  redis: RedisSteps,
  keys: StoreKeys,
  kind: OwnedKind,
  entries: readonly string[],
): readonly Promise<unknown>[] {
  return toEntries(entries).map(({ mark, digest }) => redis.run(discardRecord, [recordKey(keys, kind, digest)], [mark]))
}

async function markEmailVerified(
  redis: RedisSteps,
  keys: StoreKeys,
  { userId, email, provider }: VerifiedEmail,
): Promise<void> {
  const { user, proven } = keys.ofUser(userId)
  const isThere = await redis.run(proveAddress, [user, proven], [digestOf(email), provider])
  if (Number(isThere) !== 1) fail("markEmailVerified: there is no such user")
}

function fail(message: string): never {
  throw new Error(message)
}
