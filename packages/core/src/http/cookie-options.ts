import { merge } from "../runtime/merge.js"
import type { CookieOption, CookiePurpose, CookieSerializeOptions, CookiesOptions } from "../types/http.js"

export type ResolvedCookies = Readonly<Record<CookiePurpose, CookieOption>>

/** Lifetime of the cookies of a sign-in that is in progress. */
export const checkMaxAgeSeconds: number = 15 * 60

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

/** The scheme that the cookies are for. */
export interface CookieScheme {
  /** Whether browsers send them over https only. */
  readonly isSecure: boolean
}

/** Names and attributes of all cookies: the host's options merged over the defaults. */
export function resolveCookies(given: Partial<CookiesOptions> | undefined, scheme: CookieScheme): ResolvedCookies {
  const purposes = Object.keys(names) as CookiePurpose[] // The keys of a literal record.
  const entries = purposes.map((purpose) => [purpose, merge(toDefault(purpose, scheme), given?.[purpose])])
  return Object.fromEntries(entries) as ResolvedCookies // One entry for each purpose, from the line above.
}

function toDefault(purpose: CookiePurpose, { isSecure }: CookieScheme): CookieOption {
  const options: CookieSerializeOptions = { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure }
  if (checkPurposes.has(purpose)) options.maxAge = checkMaxAgeSeconds
  return { name: `${isSecure ? prefixOf(purpose) : ""}${names[purpose]}`, options }
}

/** Only the CSRF cookie has `__Host-`: existing clients know the other names, and their values are encrypted for them. */
function prefixOf(purpose: CookiePurpose): string {
  return purpose === "csrfToken" ? "__Host-" : "__Secure-"
}
