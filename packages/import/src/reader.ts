// Imported as `@latchkey/import/reader`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource, Awaitable } from "@latchkey/core/types"
import { toDate, toExpiry, toUser } from "./formats/json.js"

/** A session of an app's own. */
export interface OwnSession {
  /** The id of its user. */
  readonly subject: unknown
  /** Identifies the session, if its cookie changes while it lives. Default: the value of the cookie. */
  readonly key?: string | undefined
  /** Default: `until`. */
  readonly expires?: Date | undefined
  /** When the session began. Default: unknown. */
  readonly startedAt?: Date | undefined
  /** For apps without an adapter. */
  readonly name?: string | undefined
  /** For apps without an adapter. */
  readonly email?: string | undefined
}

/** Options of {@link reader}. */
export interface OwnReaderOptions<Session extends OwnSession> extends SourceOptions<Session> {
  readonly cookie: string | readonly string[]
  /** Returns the session of a value, or null. A value is text of anyone: check its signature, or look it up. */
  readonly read: (value: string) => Awaitable<Session | null | undefined>
  /** Ends a session there with the sign-out here. */
  readonly end?: ((key: string) => unknown) | undefined
}

/**
 * Sessions that no library made.
 * @example
 * session: { accept: [reader({ cookie: "sid", until: new Date("2027-03-01"), read: (id) => findSession(id) })] }
 */
export function reader<Session extends OwnSession>(options: OwnReaderOptions<Session>): AcceptedSource {
  const { read, end } = options
  return createSource<Session>(options, {
    // Two readers of an app must not take each other's sessions for their own.
    name: `reader ${[options.cookie].flat()[0]}`,
    cookies: [],
    validate: () => (typeof read === "function" ? null : { option: "read", sentence: "missing. Write a function" }),
    async read(value): Promise<Reading<Session>> {
      const session = await read(value)
      if (!session) return { kind: "refused" }
      const { subject, key, expires, startedAt, name, email } = session
      return {
        kind: "found",
        claims: session,
        subject,
        key,
        // A row may have its driver's text in place of a date, which as it is would never be over.
        expires: expires === undefined ? undefined : toExpiry(expires),
        startedAt: toDate(startedAt),
        user: toUser({ name, email }),
      }
    },
    ...(end && { end: async (key) => void (await end(key)) }),
  })
}
