import { merge } from "../runtime/merge.js"
import type { CookieOption, CookiePurpose, CookieSerializeOptions, CookiesOptions } from "../types/http.js"

/** Name and attributes of every cookie. */
export type ResolvedCookies = Readonly<Record<CookiePurpose, CookieOption>>

/** Whether cookies are sent over https only. */
export interface CookieScheme {
  readonly isSecure: boolean
}

/** Merges the configured names and attributes over the defaults. */
export function resolveCookies(given: Partial<CookiesOptions> | undefined, scheme: CookieScheme): ResolvedCookies {
  const resolved: Record<string, CookieOption> = {}
  for (const name in names) {
    const purpose = name as CookiePurpose // A key of a literal record.
    const own = given?.[purpose]
    resolved[purpose] = own === undefined ? toDefault(purpose, scheme) : merge(toDefault(purpose, scheme), own)
  }
  return resolved as ResolvedCookies // Has each purpose, from the loop above.
}

/** Existing clients know these names, and sessions are encrypted with them as salt. */
const names: Readonly<Record<CookiePurpose, string>> = {
  sessionToken: "authjs.session-token",
  callbackUrl: "authjs.callback-url",
  csrfToken: "authjs.csrf-token",
  pkceCodeVerifier: "authjs.pkce.code_verifier",
  state: "authjs.state",
  nonce: "authjs.nonce",
  webauthnChallenge: "authjs.challenge",
}

const checkPurposes: ReadonlySet<CookiePurpose> = new Set(["pkceCodeVerifier", "state", "nonce", "webauthnChallenge"])

/** How long a user may take at the provider, in seconds. */
export const checkMaxAgeSeconds: number = 15 * 60

function toDefault(purpose: CookiePurpose, { isSecure }: CookieScheme): CookieOption {
  const options: CookieSerializeOptions = { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure }
  if (checkPurposes.has(purpose)) options.maxAge = checkMaxAgeSeconds
  // `__Host-` is stricter, but existing clients know the other cookies by `__Secure-`.
  const prefix = purpose === "csrfToken" ? "__Host-" : "__Secure-"
  return { name: `${isSecure ? prefix : ""}${names[purpose]}`, options }
}
