// Imported as `@latchkey/import/firebase`.
import { createSource, type Reading, type SourceConcern, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { type Fields, readFields, toDate, toUser } from "./formats/json.js"
import { createVerifier, isCurrent, type JwkSet } from "./formats/jwk-set.js"

/** Options of {@link firebase}. */
export interface FirebaseOptions extends SourceOptions<Fields> {
  /** The id of the project. */
  readonly projectId: string
  /** The public keys. Default: those of Google, asked once a minute at most. */
  readonly jwks?: JwkSet | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

const keysUrl = "https://identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys"
const toleranceMs = 5_000

/**
 * Session cookies of Firebase Authentication (`createSessionCookie`). Whether one was revoked is not known here.
 * @example
 * accept: [firebase({ projectId: "my-project", cookie: "__session", until: new Date("2027-03-01") })]
 */
export function firebase(options: FirebaseOptions): AcceptedSource {
  const { projectId, jwks: keys, fetch } = options
  const verify = createVerifier([], keys ? { keys } : { url: keysUrl, fetch })
  return createSource<Fields>(options, {
    name: "firebase",
    cookies: ["__session", "session"],
    canRead: (value) => value.split(".", 4).length === 3,
    validate: () =>
      typeof projectId === "string" && projectId !== ""
        ? null
        : { option: "projectId", sentence: "missing. Write the id of the project" },
    async read(value, { now }): Promise<Reading<Fields>> {
      const verified = await verify(value, now)
      if (verified.kind !== "verified") return { kind: verified.kind }
      const { claims, signed } = verified
      const isOwn = claims["iss"] === `https://session.firebase.google.com/${projectId}` && claims["aud"] === projectId
      if (!isOwn) return { kind: "refused" }
      return isCurrent(claims, now, toleranceMs) ? toReading(claims, signed) : { kind: "over" }
    },
  })
}

function toReading(claims: Fields, signed: string): Reading<Fields> {
  const { sign_in_provider: provider, sign_in_second_factor: second } = readFields(claims, "firebase")
  const concerns: readonly SourceConcern[] = provider === "anonymous" ? ["anonymous"] : []
  return {
    kind: "found",
    claims,
    subject: claims["sub"],
    key: signed,
    expires: new Date((toDate(claims["exp"])?.valueOf() ?? 0) + toleranceMs),
    startedAt: toDate(claims["auth_time"]),
    user: toUser(claims),
    profile: claims,
    achieved: typeof second === "string" ? ["fed", "mfa"] : undefined,
    concerns,
  }
}
