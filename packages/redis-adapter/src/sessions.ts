import type { Adapter, AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./operation.js"
import { createOwned, findOwned, takeOwned, toEntry, toMs } from "./owned-records.js"
import { changeRecord } from "./scripts/record-scripts.js"
import { rescoreSession } from "./scripts/user-scripts.js"
import { digestOf, type StoreKeys } from "./store-keys.js"
import { fromStored, readField, type StoredHash, toHash, toStored } from "./stored-hash.js"

type SessionMethods = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">>

const kind = "sessions"

/** Sessions are kept under the digest of their tokens, and the tokens nowhere: who reads the store cannot use one. */
export function sessionMethods(run: RunOperation, keys: StoreKeys): SessionMethods {
  return {
    createSession: (session) => run((redis) => createSession(redis, keys, session)),
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

async function createSession(
  redis: RedisSteps,
  keys: StoreKeys,
  { sessionToken, ...record }: AdapterSession,
): Promise<AdapterSession> {
  const { userId, expires } = record
  const created = await createOwned(redis, keys, { kind, digest: digestOf(sessionToken), userId, record, expires })
  return { sessionToken, ...record, ...fromStored<typeof record>(created) }
}

/** The owner of a session never changes, whatever the changes say. */
async function updateSession(
  redis: RedisSteps,
  keys: StoreKeys,
  { sessionToken, userId: _, ...changes }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
): Promise<AdapterSession | null> {
  const digest = digestOf(sessionToken)
  const expiryMs = changes.expires === undefined ? "" : String(toMs(changes.expires))
  const changed = await redis.run(changeRecord, [keys.session(digest)], [expiryMs, ...toStored(changes)])
  if (!Array.isArray(changed)) return null
  const record = toHash(changed)
  const owner = readField(record, "userId")
  if (expiryMs !== "" && typeof owner === "string") {
    await redis.run(rescoreSession, [keys.ofUser(owner).sessions], [toEntry(record, digest), expiryMs])
  }
  return toSession(record, sessionToken)
}
