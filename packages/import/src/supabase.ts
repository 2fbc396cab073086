// Imported as `@latchkey/import/supabase`.
import { createSource, type Reading, type SourceConcern, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { fromBase64, toText } from "./formats/bytes.js"
import { type Fields, isFields, parseJson, readFields, readText, toDate, toUser } from "./formats/json.js"
import { createVerifier, isCurrent, type JwkSet } from "./formats/jwk-set.js"
import { type SecretOption, toSecrets } from "./formats/keys.js"

/** Options of {@link supabase}. */
export interface SupabaseOptions extends SourceOptions<Fields> {
  /** The address of the project: `https://<ref>.supabase.co`. */
  readonly url: string
  /** The JWT secret of the project, for tokens signed with HS256. Default: its public keys alone. */
  readonly jwtSecret?: SecretOption | undefined
  /** The public keys of the project. Default: those at its address, asked once a minute at most. */
  readonly jwks?: JwkSet | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

const toleranceMs = 10_000

/**
 * Sessions of `@supabase/ssr`. An access token lives for an hour: users who were not there in the last hour sign in again.
 * @example
 * session: { accept: [supabase({ url: process.env.SUPABASE_URL, jwtSecret, until: new Date("2027-03-01") })] }
 */
export function supabase(options: SupabaseOptions): AcceptedSource {
  const { url, jwtSecret, jwks: keys, fetch } = options
  const project = URL.parse(url)
  const issuer = `${project?.origin}/auth/v1`
  const verify = createVerifier(
    toSecrets(jwtSecret),
    keys || jwtSecret ? { keys } : { url: `${issuer}/.well-known/jwks.json`, fetch },
  )
  return createSource<Fields>(options, {
    name: "supabase",
    cookies: [`sb-${project?.hostname.split(".", 1)[0]}-auth-token`],
    ...(jwtSecret !== undefined && { secret: { option: "jwtSecret", value: jwtSecret } }),
    canRead: (value) => readAccessToken(value) !== undefined,
    validate: () => (project ? null : { option: "url", sentence: "must be the address of the project" }),
    async read(value, { now }): Promise<Reading<Fields>> {
      const token = readAccessToken(value)
      if (token === undefined) return { kind: "over" }
      const verified = await verify(token, now)
      if (verified.kind !== "verified") return { kind: verified.kind === "over" ? "refused" : verified.kind }
      const { claims, signed } = verified
      if (claims["iss"] !== issuer || claims["aud"] !== "authenticated") return { kind: "refused" }
      return isCurrent(claims, now, toleranceMs) ? toReading(claims, signed) : { kind: "over" }
    },
  })
}

function toReading(claims: Fields, signed: string): Reading<Fields> {
  const concerns: readonly SourceConcern[] = claims["is_anonymous"] === true ? ["anonymous"] : []
  return {
    kind: "found",
    claims,
    subject: claims["sub"],
    key: readText(claims, "session_id") ?? signed,
    expires: new Date((toDate(claims["exp"])?.valueOf() ?? 0) + toleranceMs),
    startedAt: findStart(claims) ?? toDate(claims["iat"]),
    user: toUser({ ...readFields(claims, "user_metadata"), email: claims["email"] }),
    profile: claims,
    achieved: claims["aal"] === "aal2" ? ["fed", "mfa"] : undefined,
    concerns,
  }
}

/** When the user signed in: the first proof. */
function findStart(claims: Fields): Date | undefined {
  const proofs: readonly unknown[] = Array.isArray(claims["amr"]) ? claims["amr"] : []
  const times = proofs.flatMap((proof) => (isFields(proof) ? (toDate(proof["timestamp"])?.valueOf() ?? []) : []))
  return times.length > 0 ? new Date(Math.min(...times)) : undefined
}

/** `base64-` and base64url, or the JSON itself; of an earlier version, a list that begins with the token. */
function readAccessToken(value: string): string | undefined {
  const encoded = value.startsWith("base64-") ? fromBase64(value.slice("base64-".length)) : undefined
  const session = parseJson(encoded === undefined ? value : encoded && toText(encoded.buffer))
  if (Array.isArray(session)) return typeof session[0] === "string" ? session[0] : undefined
  return readText(session, "access_token")
}
