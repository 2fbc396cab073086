import type { AdapterSession, AdapterUser } from "../contract/adapter.js"
import type { Clock } from "../contract/clock.js"
import type { Store } from "../host/store.js"

export interface FoundSession {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** Longer than any token that a generator makes; a store should not be asked for more. */
const maxTokenLength = 1024

/**
 * Whether a store can be asked about this text. A NUL byte ends a text in some of them, which would find another row.
 */
export function isSessionToken(text: string): boolean {
  return text !== "" && text.length <= maxTokenLength && !text.includes("\0")
}

/** The row of a session token and its user, if it is alive. A row that has expired or lost its user is removed. */
export async function findStoredSession(
  { store, clock }: { readonly store: Pick<Store, "getSessionAndUser" | "deleteSession">; readonly clock: Clock },
  token: string,
): Promise<FoundSession | null> {
  if (!isSessionToken(token)) return null
  const found = await store.getSessionAndUser(token)
  // Stores may compare without regard to case; the token is compared exactly here.
  if (found?.session?.sessionToken !== token) return null
  const expires = toDate(found.session.expires)
  const isExpired = expires === null || expires.valueOf() <= clock()
  if (isExpired || !found.user) {
    await store.deleteSession(token)
    return null
  }
  return { user: { ...found.user }, session: { ...found.session, expires } }
}

/**
 * Adapters hand over dates, but some hand over what the driver gave them. Null: no date at all, which counts as past.
 */
export function toDate(value: unknown): Date | null {
  const date =
    value instanceof Date
      ? value
      : new Date(typeof value === "string" || typeof value === "number" ? value : Number.NaN)
  return Number.isNaN(date.valueOf()) ? null : date
}
