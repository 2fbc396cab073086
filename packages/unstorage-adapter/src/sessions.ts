import type { Adapter, AdapterSession, VerificationToken } from "@latchkey/core/adapters"
import { digestOf, fromStored, type ItemKind, type Items, readField, type StoredItem, toMs, toStored } from "./items.js"
import { createOwned, findOwned } from "./owned-items.js"

type SessionMethods = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">>

/** How long a call that began before a session was deleted may still run. */
const marginMs = 3_600_000

const kind = "session"

/**
 * Sessions are stored under digests of their tokens, never the tokens: read access to the store does not allow sign-in.
 */
export function sessionMethods(items: Items): SessionMethods {
  return {
    async createSession({ sessionToken, ...record }) {
      const { userId, expires } = record
      const properties = { lifetimeMs: toMs(expires) - Date.now() }
      const created = { kind, digest: await digestOf(sessionToken), userId, record, properties, expires } as const
      return toSession(await createOwned(items, created), sessionToken)
    },
    async getSessionAndUser(sessionToken) {
      const found = await findOwned(items, { kind, digest: await digestOf(sessionToken) })
      return found && { session: toSession(found.item, sessionToken), user: found.owner.user }
    },
    updateSession: (changes) => updateSession(items, changes),
    deleteSession: (sessionToken) => deleteSession(items, sessionToken),
  }
}

function toSession(item: StoredItem, sessionToken: string): AdapterSession {
  return { sessionToken, ...fromStored<Omit<AdapterSession, "sessionToken">>(item) }
}

/** Ignores `userId`: the owner of a session never changes. */
async function updateSession(
  items: Items,
  { sessionToken, userId: _, ...changes }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
): Promise<AdapterSession | null> {
  const digest = await digestOf(sessionToken)
  const found = await findOwned(items, { kind, digest })
  if (!found) return null
  const expires = changes.expires ?? toSession(found.item, sessionToken).expires
  const lifetimeMs = Math.max(found.item.lifetimeMs ?? 0, toMs(expires) - Date.now())
  const item = { ...found.item, lifetimeMs, fields: { ...found.item.fields, ...toStored(changes) } }
  await items.put([kind, digest], item, expires)
  await items.put(["owned-session", await digestOf(found.owner.user.id), digest], { fields: {} }, expires)
  return toSession(item, sessionToken)
}

/** Marks the session as ended first, for longer than any call that has read it before could extend it. */
async function deleteSession(items: Items, sessionToken: string): Promise<AdapterSession | null> {
  const digest = await digestOf(sessionToken)
  const item = await items.find(kind, digest)
  if (item?.by === undefined) return null
  const expires = new Date(Date.now() + Math.max(0, item.lifetimeMs ?? 0) + marginMs)
  await items.put(["ended", digest], { by: item.by, fields: toStored({ expires }) }, expires)
  await items.remove(kind, digest)
  await items.remove("owned-session", await digestOf(readField(item, "userId")), digest)
  return toSession(item, sessionToken)
}

type TokenMethods = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken">>

/** An atomic operation of the store: true for the first of all callers with an id. */
export type ConsumeOnce = NonNullable<Adapter["consumeOnce"]>

/** @param consumeOnce without it, concurrent callers may all get the token */
export function tokenMethods(items: Items, consumeOnce: ConsumeOnce | undefined): TokenMethods {
  return {
    async createVerificationToken(token) {
      const digest = await digestOf(token.identifier, token.token)
      if (await items.find("token", digest)) throw new Error("createVerificationToken: the token already exists")
      const item = { by: crypto.randomUUID(), fields: toStored(token) }
      await items.put(["token", digest], item, token.expires)
      return fromStored<VerificationToken>(item)
    },
    async useVerificationToken({ identifier, token }) {
      const digest = await digestOf(identifier, token)
      const item = await items.find("token", digest)
      if (item?.by === undefined) return null
      const found = fromStored<VerificationToken>(item)
      // Compared with true, since a wrong implementation may return another truthy value to every caller.
      const isFirst = consumeOnce === undefined || (await consumeOnce(item.by, found.expires)) === true
      await items.remove("token", digest)
      return isFirst ? found : null
    },
  }
}

type TemporaryMethods = Required<Pick<Adapter, "keepTemporary" | "takeTemporary">>

/** @param consumeOnce tells which caller gets a value */
export function temporaryMethods(items: Items, consumeOnce: ConsumeOnce): TemporaryMethods {
  return {
    async keepTemporary({ id, value, expires }) {
      const item = { by: crypto.randomUUID(), fields: toStored({ value, expires }) }
      await items.put(["temporary", await digestOf(id)], item, expires)
    },
    async takeTemporary(id) {
      const digest = await digestOf(id)
      const item = await items.find("temporary", digest)
      if (item?.by === undefined) return null
      const { value, expires } = fromStored<{ value: string; expires: Date }>(item)
      const isFirst = expires.valueOf() > Date.now() && (await consumeOnce(item.by, expires)) === true
      await items.remove("temporary", digest)
      return isFirst ? value : null
    },
  }
}

const expiringKinds: readonly ItemKind[] = ["session", "token", "temporary", "ended"]

/** How many items are read at once, so that other calls of the storage and other requests get their turn. */
const batchSize = 100

/** Deletes what had expired at a time, and counts the sessions, verification tokens and temporary values. */
export async function removeExpired(items: Items, at: Date): Promise<number> {
  let count = 0
  for (const one of expiringKinds) {
    const digests = await items.list(one)
    for (let start = 0; start < digests.length; start += batchSize) {
      if (start > 0) await turnOfEventLoop()
      const batch = digests.slice(start, start + batchSize)
      const removed = await Promise.all(batch.map((digest) => removeIfExpired(items, one, digest, at)))
      if (one !== "ended") count += removed.filter(Boolean).length
    }
  }
  return count
}

/** A storage in memory answers without one. */
function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

async function removeIfExpired(items: Items, itemKind: ItemKind, digest: string, at: Date): Promise<boolean> {
  const item = await items.find(itemKind, digest)
  const expires = item && readField(item, "expires")
  if (!(item && expires instanceof Date && expires < at)) return false
  await items.remove(itemKind, digest)
  if (itemKind === "session") await items.remove("owned-session", await digestOf(readField(item, "userId")), digest)
  return true
}
