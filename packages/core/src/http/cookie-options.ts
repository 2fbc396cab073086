import { merge } from "../runtime/merge.js"
import type { CookieOption, CookiePurpose, CookieSerializeOptions, CookiesOptions } from "../types/http.js"

export type ResolvedCookies = Readonly<Record<CookiePurpose, CookieOption>>

/** Seconds that a person may take at the provider. */
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

/** Whether the browser is to send the cookies over https alone. */
export interface CookieScheme {
  readonly isSecure: boolean
}

/** Names and attributes of every cookie, with the host's choices laid over the defaults. */
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

/** `__Host-` for csrf alone: the other names are known to existing clients, and their salt. */
function prefixOf(purpose: CookiePurpose): string {
  return purpose === "csrfToken" ? "__Host-" : "__Secure-"
}
