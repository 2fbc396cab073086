// Imported as `@latchkey/import/better-auth`.
import { createSource, type ReaderVisit, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource, Awaitable } from "@latchkey/core/types"
import { isEqual, toBase64 } from "./formats/bytes.js"
import { type Fields, isFields, parseFields, readFields, readText, toDate, toExpiry, toUser } from "./formats/json.js"
import { createJweOpener } from "./formats/jwe.js"
import { createMac, type SecretOption, toSecrets } from "./formats/keys.js"

/** A session with its user, as Better Auth stores them. */
export interface BetterAuthClaims {
  readonly session: Fields
  readonly user: Fields
}

/** Options of {@link betterAuth}: `find` or `get`; neither for an app without a database. */
export interface BetterAuthOptions extends SourceOptions<BetterAuthClaims> {
  /** `BETTER_AUTH_SECRET`, or a list. */
  readonly secret: SecretOption | undefined
  /** Finds the row of the table `session` by its token, alone or with its user as `{ session, user }`. */
  readonly find?: ((token: string) => Awaitable<object | null | undefined>) | undefined
  /** The `get` of a secondary storage: returns the value of a key. */
  readonly get?: ((key: string) => Awaitable<unknown>) | undefined
  /** Ends the session there with the sign-out here. */
  readonly end?: ((token: string) => unknown) | undefined
}

const cookies = ["__Secure-better-auth.session_token", "better-auth.session_token"]
const makeMac = createMac("SHA-256")
const caches = createJweOpener({
  encryption: "A256CBC-HS512",
  salt: "better-auth-session",
  info: "BetterAuth.js Generated Encryption Key",
})

const toCacheName = (name: string) => name.replace(/session_token$/, "session_data")

/**
 * Sessions of Better Auth.
 * @example
 * session: { accept: [betterAuth({ secret: process.env.BETTER_AUTH_SECRET, find: findRow, until: new Date("2027-03-01") })] }
 */
export function betterAuth(options: BetterAuthOptions): AcceptedSource {
  const { secret, find, get, end } = options
  const secrets = toSecrets(secret)

  async function findClaims(token: string, visit: ReaderVisit): Promise<BetterAuthClaims | null> {
    if (find) return toClaims(await find(token))
    if (get) return toClaims(await get(token))
    for (const value of visit.values(toCacheName(visit.name))) {
      const opened = await caches.open(value, secrets)
      if (typeof opened === "string") continue
      const exp = toDate(opened.claims["exp"])
      if (exp && exp.valueOf() > visit.now) return toClaims(opened.claims)
    }
    return null
  }

  return createSource<BetterAuthClaims>(options, {
    name: "better-auth",
    cookies,
    companions: (name) => [toCacheName(name), name.replace(/session_token$/, "dont_remember")],
    secret: { option: "secret", value: secret },
    canRead: (value) => parseSigned(value) !== null,
    async read(value, visit): Promise<Reading<BetterAuthClaims>> {
      const signed = parseSigned(value)
      if (!signed) return { kind: "over" }
      const { token, signature } = signed
      const macs = await Promise.all(secrets.map((each) => makeMac(each, token)))
      if (!macs.some((mac) => isEqual(toBase64(mac), signature))) return { kind: "refused" }
      const claims = await findClaims(token, visit)
      return claims && readText(claims.session, "token") === token ? toReading(claims, token) : { kind: "over" }
    },
    ...(end && { end: async (key) => void (await end(key)) }),
  })
}

/** `<token>.<HMAC in base64>`. */
function parseSigned(value: string): { readonly token: string; readonly signature: string } | null {
  const [, token, signature] = /^([^.]{16,255})\.([A-Za-z0-9+/]{43}=)$/.exec(value) ?? []
  return token !== undefined && signature !== undefined ? { token, signature } : null
}

function toReading({ session, user }: BetterAuthClaims, key: string): Reading<BetterAuthClaims> {
  const isImpersonated = Boolean(session["impersonatedBy"] ?? session["impersonated_by"])
  return {
    kind: "found",
    claims: { session, user },
    subject: session["userId"] ?? session["user_id"],
    key,
    expires: toExpiry(session["expiresAt"] ?? session["expires_at"]),
    startedAt: toDate(session["createdAt"] ?? session["created_at"]),
    user: toUser(user),
    // A session of such a user begins after the second factor.
    achieved: user["twoFactorEnabled"] === true ? ["fed", "mfa"] : undefined,
    concerns: isImpersonated ? ["impersonated"] : [],
  }
}

/** A row, a row with its user, or the JSON of both. */
function toClaims(value: unknown): BetterAuthClaims | null {
  const found = typeof value === "string" ? parseFields(value) : isFields(value) ? value : null
  if (!found) return null
  if (!isFields(found["session"])) return { session: found, user: readFields(found, "user") }
  // Without a database, the session and its user are one level deeper.
  const inner = found["session"]
  if (isFields(inner["session"])) return { session: inner["session"], user: readFields(inner, "user") }
  return { session: inner, user: readFields(found, "user") }
}
