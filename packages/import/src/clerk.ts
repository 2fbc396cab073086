// Imported as `@latchkey/import/clerk`.
import { createSource, type Reading, type SourceConcern, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { type Fields, readText, toDate } from "./formats/json.js"
import { createVerifier, isCurrent, type JwkSet, toJwkSet } from "./formats/jwk-set.js"

/** Options of {@link clerk}. */
export interface ClerkOptions extends SourceOptions<Fields> {
  /** The address of the Frontend API, which issues the tokens: `https://clerk.example.com`. */
  readonly issuer: string
  /** The origins of your app: those that `azp` may name. */
  readonly authorizedParties: readonly string[]
  /** `CLERK_JWT_KEY`, the public key in PEM. Default: `jwks`. */
  readonly jwtKey?: string | undefined
  /** The public keys. Default: those of the Frontend API, asked once a minute at most. */
  readonly jwks?: JwkSet | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

const toleranceMs = 5_000

/**
 * Sessions of Clerk. Its tokens live for a minute, and its script in the page renews them: only users who have the app open while
 * it is deployed go on. All others sign in again.
 * @example
 * accept: [clerk({ issuer: "https://clerk.app.test", authorizedParties: ["https://app.test"], until: new Date("2027-03-01") })]
 */
export function clerk(options: ClerkOptions): AcceptedSource {
  const { issuer, authorizedParties, jwtKey, jwks, fetch } = options
  let verify: ReturnType<typeof createVerifier> | undefined

  async function getVerifier(): Promise<ReturnType<typeof createVerifier>> {
    if (verify) return verify
    const keys = jwtKey === undefined ? jwks : ((await toJwkSet(jwtKey)) ?? { keys: [] })
    verify ??= createVerifier(
      [],
      keys ? { keys: withoutIds(keys, jwtKey) } : { url: `${issuer}/.well-known/jwks.json`, fetch },
    )
    return verify
  }

  return createSource<Fields>(options, {
    name: "clerk",
    cookies: ["__session"],
    canRead: (value) => value.split(".", 4).length === 3,
    validate: () => {
      if (!URL.parse(issuer)) return { option: "issuer", sentence: "must be the address of Clerk's Frontend API" }
      const isListed = Array.isArray(authorizedParties) && authorizedParties.length > 0
      return isListed ? null : { option: "authorizedParties", sentence: "must list the origins of the app" }
    },
    async read(value, { now }): Promise<Reading<Fields>> {
      const verified = await (await getVerifier())(value, now)
      if (verified.kind !== "verified") return { kind: verified.kind }
      const { claims, signed } = verified
      const isOwn = claims["iss"] === issuer && authorizedParties.some((party) => party === claims["azp"])
      if (!isOwn) return { kind: "refused" }
      return isCurrent(claims, now, toleranceMs) ? toReading(claims, signed) : { kind: "over" }
    },
  })
}

/** A key in PEM has no id, and verifies tokens that name one. */
function withoutIds(set: JwkSet, pem: string | undefined): JwkSet {
  return pem === undefined ? set : { keys: set.keys.map((key) => ({ ...key, kid: undefined })) }
}

function toReading(claims: Fields, signed: string): Reading<Fields> {
  const concerns: SourceConcern[] = []
  if (claims["act"] !== undefined) concerns.push("impersonated")
  if (claims["sts"] === "pending") concerns.push("pending")
  const ages: readonly unknown[] = Array.isArray(claims["fva"]) ? claims["fva"] : []
  const isProved = typeof ages[1] === "number" && ages[1] >= 0
  return {
    kind: "found",
    claims,
    subject: claims["sub"],
    key: readText(claims, "sid") ?? signed,
    expires: new Date((toDate(claims["exp"])?.valueOf() ?? 0) + toleranceMs),
    user: { email: readText(claims, "email") ?? null, name: readText(claims, "name") ?? null },
    profile: claims,
    achieved: isProved ? ["fed", "mfa"] : undefined,
    concerns,
  }
}
