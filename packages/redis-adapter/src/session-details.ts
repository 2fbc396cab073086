import type {
  AdapterFeatures,
  AdapterSessionDetail,
  NewSessionOptions,
  SessionSelection,
} from "@latchkey/core/adapters"
import type { RedisSteps, RunOperation } from "./client.js"
import {
  addToIndex,
  createDetail,
  endDetails,
  listDetails,
  readIndex,
  seeDetail,
  trackSession,
} from "./feature-scripts.js"
import {
  createUniqueId,
  digestLength,
  digestOf,
  digestOfAccount,
  type StoreKeys,
  type UserKeys,
  uniqueIdLength,
} from "./keys.js"
import { createOwned, detailKeys, sessionDigestPosition, toEntry } from "./owned-records.js"
import { removeFromLists, takeRecord } from "./scripts.js"
import { fromStored, toHash, toMs, toStored, toStrings } from "./stored-hash.js"

type DetailMethods = Required<
  Pick<AdapterFeatures, "createSessionDetail" | "seeSession" | "listSessionsByUserId" | "endSessions">
>

/**
 * The details of a user's sessions are in the user's slot, where they are counted and ended in one step. A stored session
 * that has details is valid only while they exist: its own record, in another slot, is deleted afterwards.
 */
export function detailMethods(run: RunOperation, keys: StoreKeys): DetailMethods {
  return {
    createSessionDetail: (detail, options = {}) => run((redis) => createSession(redis, keys, detail, options)),
    seeSession: ({ id, userId, seenAt, expires }) =>
      run(async (redis) => {
        const values = [digestOf(id), String(toMs(seenAt, "seenAt")), String(toMs(expires))]
        const record = await redis.run(seeDetail, detailKeys(keys.ofUser(userId)), values)
        if (typeof record !== "string") return null
        const detail = toDetail(record, seenAt, expires)
        if (expires > longestIndex(detail.createdAt)) await addToIndexes(redis, keys, detail)
        return detail
      }),
    listSessionsByUserId: (userId) =>
      run(async (redis) => {
        const reply = toStrings(await redis.run(listDetails, detailKeys(keys.ofUser(userId)), [String(Date.now())]))
        return Array.from({ length: reply.length / 3 }, (_, index) => {
          const [record = "", seen, ends] = reply.slice(index * 3, index * 3 + 3)
          return toDetail(record, new Date(Number(seen)), new Date(Number(ends)))
        })
      }),
    endSessions: (selection) => run((redis) => endSessions(redis, keys, selection)),
  }
}

const noDigest = "-".repeat(digestLength)

/** What a record begins with: see `feature-scripts.ts`. */
function toRecord({ lastSeenAt: _, expires: __, ...detail }: AdapterSessionDetail): string {
  const { provider, providerSession, sessionToken } = detail
  const digests = [
    digestOfAccount(detail),
    providerSession === null ? noDigest : digestOf(provider, providerSession),
    sessionToken === null ? noDigest : digestOf(sessionToken),
  ]
  // The token itself is not stored.
  const fields = toStored({ ...detail, sessionToken: null })
  return [createUniqueId(), ...digests, JSON.stringify(fields)].join("")
}

const accountPosition = uniqueIdLength
const providerSessionPosition = accountPosition + digestLength
const fieldsPosition = sessionDigestPosition + digestLength

function toDetail(record: string, lastSeenAt: Date, expires: Date): AdapterSessionDetail {
  const fields: unknown = JSON.parse(record.slice(fieldsPosition))
  const detail = fromStored<AdapterSessionDetail>(toHash(fields))
  if (!detail) throw new TypeError("Redis: a session has no details")
  return { ...detail, lastSeenAt, expires }
}

/**
 * The record of a new stored session comes first: nothing finds it before its details exist. A session from before is made
 * to depend on its details once they exist. Whoever deletes it removes it from the user's list, and its details, after it:
 * so details that are stored between the two do not stay.
 */
async function createSession(
  redis: RedisSteps,
  keys: StoreKeys,
  detail: AdapterSessionDetail,
  { session, limit }: NewSessionOptions,
): Promise<boolean> {
  const { userId, lastSeenAt, expires } = detail
  const own = keys.ofUser(userId)
  const tracked = digestOf(detail.id)
  const [seen, ends] = [String(toMs(lastSeenAt, "lastSeenAt")), String(toMs(expires))]
  if (session) {
    const { sessionToken, ...record } = session
    const digest = digestOf(sessionToken)
    await createOwned(redis, keys, { kind: "sessions", digest, userId, record, expires: session.expires, tracked })
  }
  await addToIndexes(redis, keys, detail)
  const limits = limit ? [String(limit.count), limit.over === "end-oldest" ? "1" : ""] : ["", ""]
  const former = session || detail.sessionToken === null ? "" : digestOf(detail.sessionToken)
  const values = [tracked, toRecord(detail), seen, ends, String(Date.now()), ...limits, former]
  const [outcome, ...ended] = toStrings(
    await redis.run(createDetail, [own.user, own.sessions, ...detailKeys(own)], values),
  )
  if (outcome === "created") {
    await discardSessions(redis, keys, own, ended.map(sessionDigestOf))
    if (former === "" || (await redis.run(trackSession, [keys.session(former)], [tracked]))) return true
    await redis.run(endDetails, detailKeys(own), [String(Date.now()), "0", tracked, ""])
    return false
  }
  if (session) await discardSessions(redis, keys, own, [digestOf(session.sessionToken)])
  if (outcome === "refused" || outcome === "no session") return false
  throw new Error(outcome === "exists" ? "The session details already exist" : "The user does not exist")
}

const dayMs = 86_400_000

/** Until when an index keeps a session without being extended: a cookie lives no longer than 400 days. */
function longestIndex(createdAt: Date): Date {
  return new Date(createdAt.valueOf() + 400 * dayMs)
}

/** An index may name a user without such a session, so it is written first. */
async function addToIndexes(redis: RedisSteps, keys: StoreKeys, detail: AdapterSessionDetail): Promise<void> {
  const { provider, providerSession, userId, createdAt, expires } = detail
  const ends = Math.max(toMs(expires), longestIndex(createdAt).valueOf())
  const values = [digestOf(userId), String(ends), String(Date.now())]
  const indexes = [
    // A session from before tracking has no account to end it by. All of them would share one index.
    ...(provider === "" ? [] : [keys.accountSessions(digestOfAccount(detail))]),
    ...(providerSession === null ? [] : [keys.providerSession(digestOf(provider, providerSession))]),
  ]
  await Promise.all(indexes.map((index) => redis.run(addToIndex, [index], values)))
}

/** The sessions to end of one user: see the script. */
interface Ending {
  readonly position: number
  readonly digest: string
  readonly isExcept: boolean
}

async function endSessions(redis: RedisSteps, keys: StoreKeys, selection: SessionSelection): Promise<number> {
  if ("userId" in selection) return await endOf(redis, keys, digestOf(selection.userId), toEnding(selection))
  const isAccount = "providerAccountId" in selection
  const digest = isAccount ? digestOfAccount(selection) : digestOf(selection.provider, selection.providerSession)
  const index = isAccount ? keys.accountSessions(digest) : keys.providerSession(digest)
  const position = isAccount ? accountPosition : providerSessionPosition
  const users = toStrings(await redis.run(readIndex, [index]))
  const counts = await Promise.all(users.map((user) => endOf(redis, keys, user, { position, digest, isExcept: false })))
  return counts.reduce((sum, count) => sum + count, 0)
}

function toEnding(selection: Extract<SessionSelection, { readonly userId: string }>): Ending {
  if ("id" in selection) return { position: 0, digest: digestOf(selection.id), isExcept: false }
  const { except } = selection
  return { position: 0, digest: except === undefined ? "" : digestOf(except), isExcept: true }
}

async function endOf(
  redis: RedisSteps,
  keys: StoreKeys,
  user: string,
  { position, digest, isExcept }: Ending,
): Promise<number> {
  const own = keys.ofUserDigest(user)
  const values = [String(Date.now()), String(position), digest, isExcept ? "except" : ""]
  const reply = await redis.run(endDetails, detailKeys(own), values)
  const [count, ...ended] = Array.isArray(reply) ? reply : [0]
  await discardSessions(redis, keys, own, toStrings(ended).map(sessionDigestOf))
  return Number(count)
}

function sessionDigestOf(record: string): string {
  return record.slice(sessionDigestPosition, fieldsPosition)
}

/** Deletes the records of ended sessions, which nothing finds any more. */
async function discardSessions(
  redis: RedisSteps,
  keys: StoreKeys,
  { sessions }: UserKeys,
  digests: readonly string[],
): Promise<void> {
  const entries = digests.map(async (digest) => {
    if (digest === noDigest) return []
    const record = toHash(await redis.run(takeRecord, [keys.session(digest)]))
    return [toEntry(record, digest)]
  })
  const removed = (await Promise.all(entries)).flat()
  if (removed.length > 0) await redis.run(removeFromLists, [sessions], removed)
}
