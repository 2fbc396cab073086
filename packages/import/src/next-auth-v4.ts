// Imported as `@latchkey/import/next-auth-v4`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource, AdapterSession, AdapterUser, Awaitable, JWT } from "@latchkey/core/types"
import { type Fields, toDate, toExpiry, toUser } from "./formats/json.js"
import { createJweOpener } from "./formats/jwe.js"
import { type SecretOption, toSecrets } from "./formats/keys.js"

/** The claims of a token, or the row of a stored session. */
export type NextAuthV4Claims = JWT

/** Options of {@link nextAuthV4}: `secret` for sessions in cookies, `adapter` for stored ones. */
export type NextAuthV4Options = SourceOptions<NextAuthV4Claims> &
  (
    | {
        /** `NEXTAUTH_SECRET`, or a list. */
        readonly secret: SecretOption | undefined
        readonly adapter?: undefined
      }
    | {
        /** The adapter that has the sessions. */
        readonly adapter: NextAuthV4Adapter
        readonly secret?: undefined
      }
  )

/** The methods of an adapter that are used. */
export interface NextAuthV4Adapter {
  readonly getSessionAndUser?:
    | ((
        token: string,
      ) => Awaitable<{ readonly session: AdapterSession; readonly user: Pick<AdapterUser, "id"> } | null>)
    | undefined
  /** Ends the session there with the sign-out here. */
  readonly deleteSession?: ((token: string) => unknown) | undefined
}

const cookies = ["__Secure-next-auth.session-token", "next-auth.session-token"]

/** Clocks of two machines may differ by this much, as in the library. */
const toleranceMs = 15_000

const tokens = createJweOpener({ encryption: "A256GCM", salt: "", info: "NextAuth.js Generated Encryption Key" })

/**
 * Sessions of next-auth 4. One in a cookie goes on with its claims: `callbacks.jwt` gets them as at each read before.
 * @example
 * session: { accept: [nextAuthV4({ secret: process.env.NEXTAUTH_SECRET, until: new Date("2027-03-01") })] }
 */
export function nextAuthV4(options: NextAuthV4Options): AcceptedSource {
  const { secret, adapter } = options
  if (adapter) return createStored(options, adapter)
  const secrets = toSecrets(secret)
  return createSource<NextAuthV4Claims>(options, {
    name: "next-auth-v4",
    cookies,
    secret: { option: "secret", value: secret },
    canRead: tokens.isToken,
    async read(value): Promise<Reading<NextAuthV4Claims>> {
      const opened = await tokens.open(value, secrets)
      return typeof opened === "string" ? { kind: opened } : toReading(opened.claims)
    },
  })
}

function toReading(claims: Fields): Reading<NextAuthV4Claims> {
  const expires = toDate(claims["exp"])
  if (!expires) return { kind: "over" }
  return {
    kind: "found",
    claims,
    subject: claims["sub"] ?? claims["id"],
    expires: new Date(expires.valueOf() + toleranceMs),
    startedAt: toDate(claims["iat"]),
    user: toUser(claims),
    token: claims,
  }
}

/** A UUID, unless the app generates its own. Never what `hashSessionTokens` stores for a session of this app in the same table. */
const canRead = (value: string): boolean => !value.includes(".") && value.length <= 255 && !value.startsWith("sha256:")

function createStored(options: SourceOptions<NextAuthV4Claims>, adapter: NextAuthV4Adapter): AcceptedSource {
  const { deleteSession } = adapter
  return createSource<NextAuthV4Claims>(options, {
    name: "next-auth-v4",
    cookies,
    canRead,
    validate: () =>
      adapter.getSessionAndUser ? null : { option: "adapter", sentence: "must have the method getSessionAndUser" },
    async read(value): Promise<Reading<NextAuthV4Claims>> {
      if (!canRead(value)) return { kind: "over" }
      const found = await adapter.getSessionAndUser?.(value)
      // A database may compare without regard to case.
      if (found?.session?.sessionToken !== value) return { kind: "over" }
      const { userId, expires } = found.session
      return { kind: "found", claims: { sub: userId }, subject: userId, expires: toExpiry(expires) }
    },
    ...(deleteSession && { end: async (key) => void (await deleteSession.call(adapter, key)) }),
  })
}
