import type { RedisSteps } from "./operation.js"
import { claimAddress, releaseAddress } from "./scripts/address-scripts.js"
import { settleClaim } from "./scripts/user-scripts.js"
import { digestOf, type StoreKeys } from "./store-keys.js"
import { readField, type StoredHash, toHash } from "./stored-hash.js"

/** That a user holds an address. It is true as long as the user's own record says the same. */
export interface Claim {
  readonly userId: string
  /** Random text, of this claim alone. */
  readonly claim: string
}

/** How often an address whose holder is gone is tried again; each time another caller came first. */
const attempts = 5

/** Takes an address for a user. False when somebody has it. */
export async function holdAddress(redis: RedisSteps, keys: StoreKeys, email: string, mine: Claim): Promise<boolean> {
  const key = keys.email(digestOf(email))
  let stale = ""
  for (let attempt = 0; attempt < attempts; attempt++) {
    const held = await redis.run(claimAddress, [key], [JSON.stringify(mine.userId), mine.claim, stale])
    if (!Array.isArray(held)) return true
    const theirs = { claim: String(held[0]), userId: String(JSON.parse(String(held[1]))) }
    if ((await settle(redis, keys, theirs)) !== null) return false
    // Its user is gone, or has another address by now. No user ever gets this claim again, so it may be replaced.
    stale = theirs.claim
  }
  return false
}

/** Makes true what the claim stands for. The user; null when it stands for nothing any more. */
export async function settle(redis: RedisSteps, keys: StoreKeys, { userId, claim }: Claim): Promise<StoredHash | null> {
  const { user, change } = keys.ofUser(userId)
  const settled = await redis.run(settleClaim, [user, change], [claim])
  return Array.isArray(settled) ? toHash(settled) : null
}

/** Does nothing to an address that is held under another claim by now. */
export async function releaseClaim(redis: RedisSteps, keys: StoreKeys, address: string, claim: string): Promise<void> {
  await redis.run(releaseAddress, [keys.email(address)], [claim])
}

/** The user who has an address. */
export async function findByAddress(redis: RedisSteps, keys: StoreKeys, email: string): Promise<StoredHash | null> {
  const held = await redis.readHash(keys.email(digestOf(email)))
  const userId = readField(held, "userId")
  const { claim } = held
  if (typeof userId !== "string" || claim === undefined) return null
  const user = await redis.readHash(keys.ofUser(userId).user)
  const isSettled = user["claim"] === claim && user["fresh"] === undefined
  return isSettled ? user : await settle(redis, keys, { userId, claim })
}
