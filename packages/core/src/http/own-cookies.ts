import { merge } from "../runtime/merge.js"
import type { Optional } from "../types/basics.js"
import type { CookieOption, CookiePurpose, CookieSerializeOptions, CookiesOptions } from "../types/http.js"

/** What the names of all cookies begin with, after the prefix, unless an option renames them. */
export const ownNameStart = "authjs."

/** A kind of cookie that the service sets. `cookie-budget.ts` has what each may take of a request. */
export interface OwnCookie {
  /** Without the prefix. */
  readonly name: `authjs.${string}`
  /** On https. With `__Host-`, no other host of the domain can set it. */
  readonly prefix: "__Host-" | "__Secure-"
  /** Lifetime. Undefined: as long as the browser runs, or as an option says. */
  readonly seconds?: number
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

type PlainKind = "browser" | "formPostBrowser"
type PageKind = "errorReference" | "formValues" | "lastProvider"
type SealedKind =
  | ("completed" | "mail" | "formValues" | "formResult" | "held" | "setup" | "codes")
  | ("device" | "proof" | "tokens" | "hint" | "moved" | "leaving")

export type OwnCookieKind = CookiePurpose | PlainKind | PageKind | SealedKind

const minute = 60
// Numbers, since the bundlers of apps keep a table that computes with names, used or not.
/** 90 days. */
const quarter = 7_776_000
/** 365 days. */
const year = 31_536_000
/** 400 days, the longest lifetime that browsers accept, RFC 6265bis section 5.5. A session that is in use can last as long. */
const longest = 34_560_000

/** How long a user may take at the provider, in seconds. */
export const checkMaxAgeSeconds: number = 15 * minute

/** Characters of name and value that every browser accepts: RFC 6265bis section 5.6. */
export const maxCookieLength = 4096

/**
 * The cookies that existing clients know by name, and that the option `cookies` renames. Sessions are encrypted with the
 * name as salt. Apart from the others: who reads a token needs no more.
 */
export const contractCookies: Readonly<Record<CookiePurpose, OwnCookie>> = {
  /** The session. A long value is split. */
  sessionToken: { name: "authjs.session-token", prefix: "__Secure-" },
  /** Where to go after the sign-in. */
  callbackUrl: { name: "authjs.callback-url", prefix: "__Secure-" },
  /** Proves that a form comes from the site. */
  csrfToken: { name: "authjs.csrf-token", prefix: "__Host-" },
  /** The PKCE code verifier of a flow at a provider. */
  pkceCodeVerifier: { name: "authjs.pkce.code_verifier", prefix: "__Secure-", seconds: checkMaxAgeSeconds },
  /** The state of a flow. */
  state: { name: "authjs.state", prefix: "__Secure-", seconds: checkMaxAgeSeconds },
  /** The nonce of a flow. */
  nonce: { name: "authjs.nonce", prefix: "__Secure-", seconds: checkMaxAgeSeconds },
  /** The challenge of a passkey: the newest, and those of other tabs with a suffix. */
  webauthnChallenge: { name: "authjs.challenge", prefix: "__Secure-", seconds: checkMaxAgeSeconds },
}

/** Every other cookie that the service sets. */
export const ownCookies: Readonly<
  Record<PlainKind, OwnCookie> & Record<PageKind, LastingCookie> & Record<SealedKind, SealedOwnCookie>
> = {
  /** Binds flows to the browser that began them. */
  browser: { name: "authjs.browser", prefix: "__Host-", seconds: checkMaxAgeSeconds },
  /** Binds the flows of providers that return by posting a form. */
  formPostBrowser: { name: "authjs.browser.form-post", prefix: "__Host-", seconds: checkMaxAgeSeconds },
  /** The sign-in that the browser completed last: its callback, opened again, leads where it led. */
  completed: { name: "authjs.completed", prefix: "__Host-", seconds: checkMaxAgeSeconds, seal: "flow:completed" },
  /** A mail that the browser asked for: its code works only with it. */
  mail: { name: "authjs.mail", prefix: "__Host-", seal: "mail:flow" },
  /** The reference of an error, for the error page. Long enough to load it, and too short to show up on a later one. */
  errorReference: { name: "authjs.error-reference", prefix: "__Secure-", seconds: 5 * minute },
  /** What was typed into a form that failed, or who signs in: long enough to load the page, or to find a password. */
  formValues: { name: "authjs.form-values", prefix: "__Secure-", seconds: 10 * minute, seal: "form:values" },
  /** What a page says about the form that led to it, and what was typed: a reload shows the same. */
  formResult: { name: "authjs.form-result", prefix: "__Host-", seconds: 10 * minute, seal: "form:result" },
  /** The provider that was chosen last. */
  lastProvider: { name: "authjs.last-provider", prefix: "__Secure-", seconds: year },
  /** A sign-in that waits for another step, or its id in the store. */
  held: { name: "authjs.held", prefix: "__Host-", seconds: 10 * minute, seal: "held:cookie" },
  /** The key of an authenticator app that is being set up: a reload shows the same one. */
  setup: { name: "authjs.setup", prefix: "__Host-", seconds: 10 * minute, seal: "factor:shown-key" },
  /** New recovery codes, until the user says that they are saved. */
  codes: { name: "authjs.codes", prefix: "__Host-", seconds: 10 * minute, seal: "factor:shown-codes" },
  /** A device that is not asked for the second factor, for the days of `secondFactors.remember`. */
  device: { name: "authjs.device", prefix: "__Host-", seal: "device:second-factor" },
  /** How and when the user proved who they are. Afterwards a session goes on, and its user is asked again. */
  proof: { name: "authjs.proof", prefix: "__Host-", seconds: quarter, seal: "proof:sign-in" },
  /** The tokens of a provider. A long value is split. */
  tokens: { name: "authjs.tokens", prefix: "__Host-", seconds: longest, seal: "token:cookie" },
  /** What the session began with at the provider, for the sign-out there. */
  hint: { name: "authjs.hint", prefix: "__Host-", seconds: longest, seal: "logout:hint" },
  /** The session of another library that ours took the place of, for the sign-out there. */
  moved: { name: "authjs.moved", prefix: "__Host-", seconds: year, seal: "moved:source" },
  /** A user who is at the provider's sign-out page. */
  leaving: { name: "authjs.leaving", prefix: "__Host-", seconds: 10 * minute, seal: "logout:leaving" },
}

/**
 * Characters of the cookies with the path of the sign-in page, each with its name: requests for other paths do not have
 * them. What was typed is also kept for the path of the pages of passwords. The service sets none that is longer.
 */
export const pageShares: Readonly<Record<"formValues" | "lastProvider", number>> = {
  formValues: 1536,
  lastProvider: 256,
}

/** The attributes of the session's cookie that decide whether browsers keep and send it in a frame of another site. */
type FrameAttributes = Pick<CookieSerializeOptions, "sameSite" | "partitioned">

/** What the cookies that no option changes have in common. */
export interface CookieScheme {
  /** Whether cookies are sent over https only. */
  readonly isSecure: boolean
  /** As `toFrameAttributes` returns them. Default: as outside of frames. */
  readonly frame?: FrameAttributes | undefined
}

/**
 * What the session's cookie has for frames of other sites, which a sign-in in such a frame needs for all of its cookies. Its
 * other attributes are its own: a domain, a path, `Strict`, or that scripts read it.
 */
export function toFrameAttributes({
  sessionToken,
}: Pick<ResolvedCookies, "sessionToken">): FrameAttributes | undefined {
  const { sameSite, partitioned } = sessionToken.options
  const isCrossSite = String(sameSite).toLowerCase() === "none"
  if (!isCrossSite && !partitioned) return undefined
  return { ...(isCrossSite && { sameSite: "none" }), ...(partitioned && { partitioned }) }
}

/** Name and attributes of a cookie that no option changes. Its name may need a suffix, and its lifetime is left to the caller. */
export function toOwnCookie({ name, prefix }: OwnCookie, { isSecure, frame }: CookieScheme): CookieOption {
  const options: CookieSerializeOptions = { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure }
  // Browsers refuse both attributes without `Secure`.
  return { name: `${isSecure ? prefix : ""}${name}`, options: isSecure && frame ? { ...options, ...frame } : options }
}

/** Whether every browser keeps a cookie. */
export function isSendable({ name, value }: { readonly name: string; readonly value: string }): boolean {
  return name.length + value.length <= maxCookieLength
}

/** The cookie of a mail, named without the mail's id. */
export function toMailCookie(own: Pick<ResolvedCookies, "csrfToken" | "sessionToken">): CookieOption {
  const isSecure = own.csrfToken.options.secure === true
  return toOwnCookie(ownCookies.mail, { isSecure, frame: toFrameAttributes(own) })
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

/** Merges the configured names and attributes over the defaults. */
export function resolveCookies(given: Optional<CookiesOptions> | undefined, scheme: CookieScheme): ResolvedCookies {
  const resolved: Partial<Record<CookiePurpose, CookieOption>> = {}
  for (const name in contractCookies) {
    const purpose = name as CookiePurpose // as: a key of the record.
    const own = given?.[purpose]
    resolved[purpose] = own === undefined ? toDefault(purpose, scheme) : merge(toDefault(purpose, scheme), own)
  }
  return resolved as ResolvedCookies // as: has each purpose, from the loop above.
}

function toDefault(purpose: CookiePurpose, scheme: CookieScheme): CookieOption {
  const { seconds } = contractCookies[purpose]
  const { name, options } = toOwnCookie(contractCookies[purpose], scheme)
  const resolved: CookieSerializeOptions = { ...options }
  if (seconds !== undefined) resolved.maxAge = seconds
  return { name, options: resolved }
}
