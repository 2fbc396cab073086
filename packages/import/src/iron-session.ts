// Imported as `@latchkey/import/iron-session`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { isSeal, type PasswordOption, unseal } from "./formats/iron.js"
import { type Fields, isFields, readFields, toUser } from "./formats/json.js"

/** Options of {@link ironSession}. */
export interface IronSessionOptions extends SourceOptions<Fields> {
  /** The password, or the passwords by their numbers. */
  readonly password: PasswordOption | undefined
  /** The `cookieName` of the app. */
  readonly cookie: string | readonly string[]
}

/** Clocks of two machines may differ by this much, as in the library. */
const toleranceMs = 60_000

/**
 * Sessions of iron-session. The default of `subject` is `user.id`, else `userId`, else `id`. A session with `ttl: 0` has no expiry
 * inside: a copy is valid until `until`.
 * @example
 * accept: [ironSession({ password: process.env.SESSION_PASSWORD, cookie: "app_session", until: new Date("2027-03-01") })]
 */
export function ironSession(options: IronSessionOptions): AcceptedSource {
  const { password } = options
  return createSource<Fields>(options, {
    name: "iron-session",
    cookies: [],
    secret: { option: "password", value: password },
    canRead: isSeal,
    async read(value): Promise<Reading<Fields>> {
      const opened = await unseal(value, password)
      if (opened.kind !== "opened") return opened
      const { value: claims, expires, key } = opened
      if (!isFields(claims)) return { kind: "over" }
      const user = readFields(claims, "user")
      return {
        kind: "found",
        claims,
        subject: user["id"] ?? claims["userId"] ?? claims["id"],
        key,
        expires: expires && new Date(expires.valueOf() + toleranceMs),
        user: toUser({ ...claims, ...user }),
      }
    },
  })
}
