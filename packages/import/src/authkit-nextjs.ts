// Imported as `@latchkey/import/authkit-nextjs`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { isSeal, type PasswordOption, unseal } from "./formats/iron.js"
import { type Fields, isFields, readFields, readText } from "./formats/json.js"
import { readUnverified } from "./formats/jwk-set.js"

/** Options of {@link authkitNextjs}. */
export interface AuthkitNextjsOptions extends SourceOptions<Fields> {
  /** `WORKOS_COOKIE_PASSWORD`. */
  readonly password: PasswordOption | undefined
}

/**
 * Sessions of @workos-inc/authkit-nextjs. The subject is the user's id at WorkOS: with an adapter, `owner: { provider: "workos" }`
 * finds the user by the linked account. They have no expiry inside: a copy is valid until `until`.
 * @example
 * accept: [authkitNextjs({ password: process.env.WORKOS_COOKIE_PASSWORD, until: new Date("2027-03-01") })]
 */
export function authkitNextjs(options: AuthkitNextjsOptions): AcceptedSource {
  const { password } = options
  return createSource<Fields>(options, {
    name: "authkit-nextjs",
    cookies: ["wos-session"],
    secret: { option: "password", value: password },
    canRead: isSeal,
    async read(value): Promise<Reading<Fields>> {
      const opened = await unseal(value, password)
      if (opened.kind !== "opened") return opened
      return isFields(opened.value) ? toReading(opened.value, opened) : { kind: "over" }
    },
  })
}

type OpenedSeal = { readonly expires: Date | undefined; readonly key: string }

function toReading(session: Fields, { expires, key }: OpenedSeal): Reading<Fields> {
  const user = readFields(session, "user")
  const names = [user["firstName"], user["lastName"]].filter((name) => typeof name === "string")
  // The seal protects the token, which is refreshed every few minutes.
  const token = readUnverified(session["accessToken"])
  return {
    kind: "found",
    claims: session,
    subject: user["id"],
    key: readText(token, "sid") ?? key,
    expires,
    user: { email: readText(user, "email") ?? null, name: names.length > 0 ? names.join(" ") : null },
    // The role, the permissions and the organization are in the token.
    profile: { ...user, ...token },
    concerns: session["impersonator"] ? ["impersonated"] : [],
  }
}
