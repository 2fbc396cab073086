import type { Adapter, AdapterSession } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import { type Items, toMs } from "./items.js"
import type { StoredItem } from "./key-value-storage.js"
import { createOwned, findOwned } from "./owned-items.js"
import { fromStored, readField, toStored } from "./stored-fields.js"

type SessionMethods = Required<Pick<Adapter, "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession">>

/** How long a call that began before a session was ended may still be on its way. */
const marginMs = 3_600_000

const kind = "session"

/** Sessions are kept under the digest of their tokens, and the tokens nowhere: who reads the store cannot use one. */
export function sessionMethods(items: Items): SessionMethods {
  return {
    createSession: (session) => createSession(items, session),
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

async function createSession(items: Items, { sessionToken, ...record }: AdapterSession): Promise<AdapterSession> {
  const { userId, expires } = record
  const notes = { lifetimeMs: toMs(expires) - Date.now() }
  const created = { kind, digest: await digestOf(sessionToken), userId, record, notes, expires } as const
  return toSession(await createOwned(items, created), sessionToken)
}

/** The owner of a session never changes, whatever the changes say. */
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

/** First it is put down that this session has ended, for longer than anybody could extend it who read it before. */
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
