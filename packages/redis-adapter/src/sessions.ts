import type { Adapter, AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./client.js"
import { extendDetail } from "./feature-scripts.js"
import { digestOf, type StoreKeys } from "./keys.js"
import { createOwned, detailKeys, findOwned, takeOwned, toEntry } from "./owned-records.js"
import { updateExpiryInList, updateRecord } from "./scripts.js"
import { fromStored, readField, type StoredHash, toHash, toMs, toStored } from "./stored-hash.js"

type SessionMethods = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">>

const kind = "sessions"

/**
 * Sessions are stored under digests of their tokens, never the tokens: read access to the store does not allow sign-in.
 */
export function sessionMethods(run: RunOperation, keys: StoreKeys): SessionMethods {
  return {
    createSession: ({ sessionToken, ...record }) =>
      run(async (redis) => {
        const { userId, expires } = record
        const digest = digestOf(sessionToken)
        const created = await createOwned(redis, keys, { kind, digest, userId, record, expires })
        return { sessionToken, ...record, ...fromStored<typeof record>(created) }
      }),
    getSessionAndUser: (sessionToken) =>
      run(async (redis) => {
        const found = await findOwned(redis, keys, { kind, digest: digestOf(sessionToken) })
        const session = found && toSession(found.record, sessionToken)
        const user = found && fromStored<AdapterUser>(found.user)
        return session && user && { session, user }
      }),
    updateSession: (changes) => run((redis) => updateSession(redis, keys, changes)),
    deleteSession: (sessionToken) =>
      run(async (redis) => {
        const taken = await takeOwned(redis, keys, { kind, digest: digestOf(sessionToken) })
        return taken && toSession(taken, sessionToken)
      }),
  }
}

function toSession(hash: StoredHash, sessionToken: string): AdapterSession | null {
  const session = fromStored<Omit<AdapterSession, "sessionToken">>(hash)
  return session && { sessionToken, ...session }
}

/** Ignores `userId`: the owner of a session never changes. */
async function updateSession(
  redis: RedisSteps,
  keys: StoreKeys,
  { sessionToken, userId: _, ...changes }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
): Promise<AdapterSession | null> {
  const digest = digestOf(sessionToken)
  const expiryMs = changes.expires === undefined ? "" : String(toMs(changes.expires))
  const updated = await redis.run(updateRecord, [keys.session(digest)], [expiryMs, ...toStored(changes)])
  if (!Array.isArray(updated)) return null
  const record = toHash(updated)
  const owner = readField(record, "userId")
  if (expiryMs !== "" && typeof owner === "string") {
    const own = keys.ofUser(owner)
    const { tracked } = record
    if (tracked !== undefined) await redis.run(extendDetail, detailKeys(own), [tracked, expiryMs])
    await redis.run(updateExpiryInList, [own.sessions], [toEntry(record, digest), expiryMs])
  }
  return toSession(record, sessionToken)
}
