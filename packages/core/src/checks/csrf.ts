import { isEqualInConstantTime, macHex } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { MissingCSRF } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import { andThen, rejecting } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { CookieOption, IncomingHeaders, ResponseCookie } from "../types/http.js"

export interface CsrfToken {
  /** Undefined when the framework protects its forms itself. */
  readonly token: string | undefined
  readonly cookies: readonly ResponseCookie[]
}

/** Double submit: a form proves that it comes from this site by repeating the token of this site's cookie. */
export interface Csrf {
  /** The browser's token, or a new one and its cookie if the browser has none of ours. */
  issue(jar: CookieJar): Awaitable<CsrfToken>
  /** Clear the cookie after the check was turned off; sent by the csrf action. */
  clearLeftover(): Awaitable<readonly ResponseCookie[]>
  /** @throws MissingCSRF unless the form comes from this site */
  assertVerified(request: AuthRequest): Awaitable<void>
}

const pairPattern = /^([0-9a-f]{64})\|([0-9a-f]{64})$/

/** The cookie holds `<token>|<MAC of the token>`. The key of the MAC is used for nothing else. */
export function createCsrf(cookie: CookieOption, secrets: readonly string[]): Csrf {
  const [newest = ""] = secrets

  function findToken(jar: CookieJar): Awaitable<string | null> {
    const [, token, mac] = pairPattern.exec(jar.get(cookie.name) ?? "") ?? []
    return token === undefined || mac === undefined ? null : verify(token, mac, 0)
  }

  /** The token, if one of the secrets made the MAC. */
  function verify(token: string, mac: string, n: number): Awaitable<string | null> {
    const secret = secrets[n]
    if (secret === undefined) return null
    return andThen(macHex(secret, "csrf", token), (own) =>
      isEqualInConstantTime(own, mac) ? token : verify(token, mac, n + 1),
    )
  }

  function create(): Awaitable<CsrfToken> {
    const token = randomHex(32)
    return andThen(macHex(newest, "csrf", token), (mac) => ({
      token,
      cookies: [{ ...cookie, value: `${token}|${mac}` }],
    }))
  }

  function issue(jar: CookieJar): Awaitable<CsrfToken> {
    return andThen(findToken(jar), (known) => (known === null ? create() : { token: known, cookies: [] }))
  }

  function verifyForm(request: AuthRequest): Awaitable<void> {
    assertOwnOrigin(request)
    if (request.context.isVerifiedForm) return
    const sent = findField(request, "csrfToken")
    if (sent === undefined) throw new MissingCSRF("The form has no csrfToken", because("form-token-missing"))
    return andThen(findToken(request.cookies), (token) => {
      if (token === null) throw refuseCookie(request.cookies.get(cookie.name))
      if (!isEqualInConstantTime(token, sent))
        throw new MissingCSRF("The csrfToken of the form does not match the cookie", because("form-token-foreign"))
    })
  }

  return { issue, clearLeftover: () => [], assertVerified: (request) => rejecting(() => verifyForm(request)) }
}

/** A process with another secret refuses every cookie of this one: that looks like a page that was open too long. */
function refuseCookie(value: string | undefined): MissingCSRF {
  if (value === undefined) return new MissingCSRF("The CSRF cookie is missing", because("form-token-missing"))
  const foreign = because("form-token-foreign", { isSealed: pairPattern.test(value) })
  if (!foreign.facts["isSealed"]) return new MissingCSRF("The CSRF cookie was not issued by this service", foreign)
  return new MissingCSRF(
    "The CSRF cookie was issued with another secret: by another process or app on this host, or before the secret changed. Give all processes the same AUTH_SECRET, and other apps on this host other cookie names",
    foreign,
  )
}

/** For frameworks that protect their forms themselves: no token, no check. */
export function skippedCsrf(cookie: CookieOption): Csrf {
  return {
    issue: () => ({ token: undefined, cookies: [] }),
    clearLeftover: () => [clearedCookie(cookie)],
    assertVerified: () => {},
  }
}

/** Characters. A host name has at most 253. */
const maxShownOrigin = 270

/** Keeps the page from asking the visitor to try again: another attempt would fail, too. */
const foreignOrigin = "foreign-origin"

/** Browsers send the origin of a form. Other clients send none, and are checked by the token alone. */
function assertOwnOrigin({ headers, url, context: { proxySetting } }: AuthRequest): void {
  const origin = headers.get("origin")
  if (origin === null || origin === url.origin || isHiddenOwnOrigin(headers)) return
  const from = URL.parse(origin)?.origin ?? "an invalid origin"
  const setting = proxySetting ? `write ${proxySetting}` : "let the framework trust the proxy's X-Forwarded headers"
  throw new MissingCSRF(
    `The form came from ${from}, but this service is at ${url.origin}. If a proxy serves the app at the first address, ${setting}, or set AUTH_URL to it. If AUTH_URL is set, correct it`,
    { error: foreignOrigin, ...because("form-other-origin", { from: from.slice(0, maxShownOrigin), host: url.host }) },
  )
}

/**
 * A page with `Referrer-Policy: no-referrer`, which some middleware sets for all pages, sends the origin `null` with its
 * own forms. `Sec-Fetch-Site`, which no page can forge, tells them from a sandboxed frame, whose origin is also `null`.
 */
function isHiddenOwnOrigin(headers: IncomingHeaders): boolean {
  return headers.get("origin") === "null" && headers.get("sec-fetch-site") === "same-origin"
}
