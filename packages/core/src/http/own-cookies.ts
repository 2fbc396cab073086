import { merge } from "../runtime/merge.js"
import type { CookieOption, CookiePurpose, CookieSerializeOptions, CookiesOptions } from "../types/http.js"

/** What the names of all cookies begin with, after the prefix, unless an option renames them. */
export const ownNameStart = "authjs."

/** A kind of cookie that the service sets. */
export interface OwnCookie {
  /** Without the prefix. */
  readonly name: `authjs.${string}`
  /** On https. With `__Host-`, no other host of the domain can set it. */
  readonly prefix: "__Host-" | "__Secure-"
  /** Whether a dot and a suffix may follow the name: the number of a piece, the id of a flow or of a provider. */
  readonly isSeveral?: boolean
  /** Lifetime. Undefined: as long as the browser runs, or as an option says. */
  readonly seconds?: number
  /** Its share of the budget: characters of one cookie in a request, name included. The service sets none that is longer. */
  readonly share: number
  /**
   * When it is given up so that the others fit: the lowest first, and of one number the oldest. Undefined: never, because
   * the service does not work without it, or because it is small.
   */
  readonly rank?: number
  /** Whether something begins with it that a reply must not give up again, such as a sign-in. */
  readonly isBeginning?: boolean
  /** What its value is sealed for. With a colon, as `Sealer` requires: an app may give a session the name of any cookie. */
  readonly seal?: string
}

/** A cookie with a sealed value. */
export interface SealedOwnCookie extends OwnCookie {
  readonly seal: string
}

/** A cookie whose lifetime is always the same. */
interface LastingCookie extends OwnCookie {
  readonly seconds: number
}

type PlainKind = CookiePurpose | "browser" | "formPostBrowser"
type PageKind = "errorReference" | "formValues" | "lastProvider"
type SealedKind = "mail" | "formValues" | "held" | "device" | "proof" | "tokens" | "hint" | "leaving"

export type OwnCookieKind = PlainKind | PageKind | SealedKind

const minute = 60
const day = 24 * 60 * minute
/** The longest lifetime that browsers accept, RFC 6265bis section 5.5. A session that is in use can last as long. */
const longest = 400 * day

/** How long a user may take at the provider, in seconds. */
export const checkMaxAgeSeconds: number = 15 * minute

/** Characters of name and value that every browser accepts: RFC 6265bis section 5.6. */
const maxCookieLength = 4096

/** What every flow has. */
const flow = { isSeveral: true, isBeginning: true, rank: 1, share: maxCookieLength } as const

/**
 * Every cookie that the service sets. Existing clients know the names of the first seven, sessions are encrypted with
 * theirs as salt, and the option `cookies` renames them.
 */
export const ownCookies: Readonly<
  Record<PlainKind, OwnCookie> & Record<PageKind, LastingCookie> & Record<SealedKind, SealedOwnCookie>
> = {
  /** The session. A long value is split. */
  sessionToken: { name: "authjs.session-token", prefix: "__Secure-", isSeveral: true, share: maxCookieLength },
  /** Where to go after the sign-in. */
  callbackUrl: { name: "authjs.callback-url", prefix: "__Secure-", share: maxCookieLength, rank: 3 },
  /** Proves that a form comes from the site. */
  csrfToken: { name: "authjs.csrf-token", prefix: "__Host-", share: 384 },
  /** The PKCE code verifier of a flow at a provider. */
  pkceCodeVerifier: { name: "authjs.pkce.code_verifier", prefix: "__Secure-", seconds: checkMaxAgeSeconds, ...flow },
  /** The state of a flow. */
  state: { name: "authjs.state", prefix: "__Secure-", seconds: checkMaxAgeSeconds, ...flow },
  /** The nonce of a flow. */
  nonce: { name: "authjs.nonce", prefix: "__Secure-", seconds: checkMaxAgeSeconds, ...flow },
  /** The challenge of a passkey: the newest, and those of other tabs with a suffix. */
  webauthnChallenge: { name: "authjs.challenge", prefix: "__Secure-", seconds: checkMaxAgeSeconds, ...flow },
  /** Binds flows to the browser that began them. */
  browser: { name: "authjs.browser", prefix: "__Host-", seconds: checkMaxAgeSeconds, share: 128 },
  /** Binds the flows of providers that return by posting a form. */
  formPostBrowser: {
    name: "authjs.browser.form-post",
    prefix: "__Host-",
    seconds: checkMaxAgeSeconds,
    share: 128,
  },
  /** A mail that the browser asked for: its code works only with it. */
  mail: { name: "authjs.mail", prefix: "__Host-", seal: "mail:flow", ...flow },
  /** The reference of an error, for the error page. Long enough to load it, and too short to show up on a later one. */
  errorReference: { name: "authjs.error-reference", prefix: "__Secure-", seconds: 5 * minute, share: 256 },
  /** What was typed into a form that failed, or who signs in: long enough to load the page, or to find a password. */
  formValues: {
    name: "authjs.form-values",
    prefix: "__Secure-",
    seconds: 10 * minute,
    share: 1536,
    rank: 2,
    seal: "form:values",
  },
  /** The provider that was chosen last. */
  lastProvider: { name: "authjs.last-provider", prefix: "__Secure-", seconds: 365 * day, share: 256 },
  /** A sign-in that waits for another step, or its id in the store. */
  held: {
    name: "authjs.held",
    prefix: "__Host-",
    isSeveral: true,
    seconds: 10 * minute,
    share: maxCookieLength,
    isBeginning: true,
    rank: 4,
    seal: "held:cookie",
  },
  /** A device that is not asked for the second factor, for the days of `secondFactors.remember`. */
  device: { name: "authjs.device", prefix: "__Host-", share: 1024, rank: 7, seal: "device:second-factor" },
  /** How and when the user proved who they are. Afterwards a session goes on, and its user is asked again. */
  proof: {
    name: "authjs.proof",
    prefix: "__Host-",
    seconds: 90 * day,
    share: 2048,
    rank: 8,
    seal: "proof:sign-in",
  },
  /** The tokens of a provider. A long value is split. */
  tokens: {
    name: "authjs.tokens",
    prefix: "__Host-",
    isSeveral: true,
    seconds: longest,
    share: maxCookieLength,
    rank: 6,
    seal: "token:cookie",
  },
  /** What the session began with at the provider, for the sign-out there. */
  hint: {
    name: "authjs.hint",
    prefix: "__Host-",
    seconds: longest,
    share: maxCookieLength,
    rank: 5,
    seal: "logout:hint",
  },
  /** A user who is at the provider's sign-out page. */
  leaving: {
    name: "authjs.leaving",
    prefix: "__Host-",
    seconds: 10 * minute,
    share: maxCookieLength,
    isBeginning: true,
    rank: 2,
    seal: "logout:leaving",
  },
}

/** Cookies with the path of the sign-in page: requests for other paths do not have them. */
export const pageKinds: readonly OwnCookieKind[] = ["formValues", "lastProvider"]

/** Whether cookies are sent over https only. */
export interface CookieScheme {
  readonly isSecure: boolean
}

/** Name and attributes of a cookie that no option changes. Its name may need a suffix, and its lifetime is left to the caller. */
export function toOwnCookie({ name, prefix }: OwnCookie, { isSecure }: CookieScheme): CookieOption {
  return {
    name: `${isSecure ? prefix : ""}${name}`,
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  }
}

/** Whether every browser keeps a cookie. */
export function isSendable({ name, value }: { readonly name: string; readonly value: string }): boolean {
  return name.length + value.length <= maxCookieLength
}

/** The cookie of a mail, named without the mail's id. */
export function toMailCookie(own: Pick<ResolvedCookies, "csrfToken">): CookieOption {
  return toOwnCookie(ownCookies.mail, { isSecure: own.csrfToken.options.secure === true })
}

/**
 * The cookies of provider tokens, named without the provider's id. In a frame of another site, they come with the session,
 * or not at all.
 */
export function toTokenCookie(own: Pick<ResolvedCookies, "csrfToken" | "sessionToken">): CookieOption {
  const { name, options } = toOwnCookie(ownCookies.tokens, { isSecure: own.csrfToken.options.secure === true })
  const { sameSite, partitioned } = own.sessionToken.options
  return {
    name,
    options: {
      ...options,
      ...(sameSite !== undefined && { sameSite }),
      ...(partitioned !== undefined && { partitioned }),
    },
  }
}

/** Name and attributes of every cookie that an option changes. */
export type ResolvedCookies = Readonly<Record<CookiePurpose, CookieOption>>

const purposes = [
  "sessionToken",
  "callbackUrl",
  "csrfToken",
  "pkceCodeVerifier",
  "state",
  "nonce",
  "webauthnChallenge",
] as const satisfies CookiePurpose[]

/** Merges the configured names and attributes over the defaults. */
export function resolveCookies(given: Partial<CookiesOptions> | undefined, scheme: CookieScheme): ResolvedCookies {
  const resolved: Partial<Record<CookiePurpose, CookieOption>> = {}
  for (const purpose of purposes) {
    const own = given?.[purpose]
    resolved[purpose] = own === undefined ? toDefault(purpose, scheme) : merge(toDefault(purpose, scheme), own)
  }
  return resolved as ResolvedCookies // as: has each purpose, from the loop above.
}

function toDefault(purpose: CookiePurpose, scheme: CookieScheme): CookieOption {
  const { seconds }: OwnCookie = ownCookies[purpose]
  const { name, options } = toOwnCookie(ownCookies[purpose], scheme)
  const resolved: CookieSerializeOptions = { ...options }
  if (seconds !== undefined) resolved.maxAge = seconds
  return { name, options: resolved }
}
