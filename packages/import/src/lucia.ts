// Imported as `@latchkey/import/lucia`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource, Awaitable } from "@latchkey/core/types"
import { toBytes, toHex } from "./formats/bytes.js"
import { readFields, toExpiry, toUser } from "./formats/json.js"

/** A session as Lucia's adapters return it, or as a row of the table has it. */
export interface LuciaSession {
  readonly id: string
  readonly userId: string | number
  /** A date; seconds and texts of drivers, too. */
  readonly expiresAt: Date | number | string
}

/** The methods of Lucia's adapter that are used. */
export interface LuciaAdapter {
  getSessionAndUser(sessionId: string): Awaitable<readonly [session: LuciaSession | null, user: unknown]>
  /** Ends the session there with the sign-out here. */
  readonly deleteSession?: ((sessionId: string) => unknown) | undefined
}

/** Options of {@link lucia}: `adapter`, or `find` for an app without one. */
export interface LuciaOptions extends SourceOptions<LuciaSession> {
  readonly adapter?: LuciaAdapter | undefined
  /** Finds a session by its id. */
  readonly find?: ((id: string) => Awaitable<LuciaSession | null | undefined>) | undefined
  /**
   * Whether ids are the SHA-256 of tokens, as in Lucia's guide after version 3. The cookie is then `session`. Default: false.
   */
  readonly hashed?: boolean | undefined
}

/** Lucia generates 40 characters, its guide 32; apps may generate others. Shorter ones can be guessed. */
const idPattern = /^[\w-]{15,255}$/

/**
 * Sessions of Lucia 3, and of its guide.
 * @example
 * session: { accept: [lucia({ adapter: luciaAdapter, until: new Date("2027-03-01") })] }
 */
export function lucia(options: LuciaOptions): AcceptedSource {
  const { adapter, find, hashed = false } = options
  const deleteSession = adapter?.deleteSession
  async function findSession(id: string): Promise<readonly [session: LuciaSession | null | undefined, user?: unknown]> {
    return find ? [await find(id)] : ((await adapter?.getSessionAndUser(id)) ?? [null])
  }
  return createSource<LuciaSession>(options, {
    name: hashed ? "lucia-hashed" : "lucia",
    cookies: [hashed ? "session" : "auth_session"],
    canRead: (value) => idPattern.test(value),
    validate: () =>
      find || adapter ? null : { option: "adapter", sentence: "missing. Pass Lucia's adapter, or a function find" },
    async read(value): Promise<Reading<LuciaSession>> {
      if (!idPattern.test(value)) return { kind: "over" }
      const id = hashed ? toHex(await crypto.subtle.digest("SHA-256", toBytes(value))) : value
      const [session, user] = await findSession(id)
      // A database may compare without regard to case.
      if (session?.id !== id) return { kind: "over" }
      const { userId, expiresAt } = session
      return {
        kind: "found",
        claims: session,
        subject: userId,
        key: id,
        expires: toExpiry(expiresAt),
        user: toUser(readFields(user, "attributes")),
      }
    },
    ...(deleteSession && { end: async (key) => void (await deleteSession.call(adapter, key)) }),
  })
}
