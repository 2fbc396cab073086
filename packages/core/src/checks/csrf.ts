import { isEqualInConstantTime, macHex } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { MissingCSRF } from "../errors/errors.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import type { CookieOption, IncomingHeaders, ResponseCookie } from "../types/http.js"

export interface CsrfToken {
  /** Undefined where the framework protects its forms itself. */
  readonly token: string | undefined
  readonly cookies: readonly ResponseCookie[]
}

/** Double submit: a form proves that it came from this site by repeating what only this site's cookie holds. */
export interface Csrf {
  /** The visitor's token; a new pair where there is none that we made. */
  issue(jar: CookieJar): Promise<CsrfToken>
  /** What a browser may still hold of a check that is no longer made; expired by the csrf action. */
  readonly leftover: readonly ResponseCookie[]
  /** @throws MissingCSRF unless the form is one of ours */
  assertVerified(request: AuthRequest): Promise<void>
}

const pairPattern = /^([0-9a-f]{64})\|([0-9a-f]{64})$/

/** The cookie holds `<token>|<MAC of the token>`; the key of the MAC serves this purpose alone. */
export function createCsrf(cookie: CookieOption, secrets: readonly string[]): Csrf {
  const [newest = ""] = secrets

  async function findToken(jar: CookieJar): Promise<string | null> {
    const [, token, mac] = pairPattern.exec(jar.get(cookie.name) ?? "") ?? []
    if (token === undefined || mac === undefined) return null
    for (const secret of secrets) {
      if (isEqualInConstantTime(await macHex(secret, "csrf", token), mac)) return token
    }
    return null
  }

  async function issue(jar: CookieJar): Promise<CsrfToken> {
    const known = await findToken(jar)
    if (known !== null) return { token: known, cookies: [] }
    const token = randomHex(32)
    const value = `${token}|${await macHex(newest, "csrf", token)}`
    return { token, cookies: [{ ...cookie, value }] }
  }

  async function assertVerified(request: AuthRequest): Promise<void> {
    assertOwnOrigin(request)
    if (request.context.isVerifiedForm) return
    const sent = findField(request, "csrfToken")
    if (sent === undefined) throw new MissingCSRF("The form has no csrfToken")
    const token = await findToken(request.cookies)
    if (token === null) throw new MissingCSRF("The csrf cookie is absent or was not made here")
    if (!isEqualInConstantTime(token, sent))
      throw new MissingCSRF("The csrfToken of the form is not that of the cookie")
  }

  return { issue, leftover: [], assertVerified }
}

/** For frameworks that protect their forms themselves: no form has a token. */
export function skippedCsrf(cookie: CookieOption): Csrf {
  return {
    issue: async () => ({ token: undefined, cookies: [] }),
    leftover: [clearedCookie(cookie)],
    assertVerified: async () => {},
  }
}

/** Browsers say where a form came from; plain clients say nothing and are judged by the token alone. */
function assertOwnOrigin({ headers, url }: AuthRequest): void {
  const origin = headers.get("origin")
  if (origin === null || origin === url.origin || isHiddenOwnOrigin(headers)) return
  const from = URL.parse(origin)?.origin ?? "an origin that is no URL"
  throw new MissingCSRF(
    `The form came from ${from}, this service is at ${url.origin}. Behind a proxy, check that it passes on the host and the scheme`,
  )
}

/**
 * A page under `Referrer-Policy: no-referrer`, as some middlewares set it for all pages, sends `null` with its own
 * forms. That it is ours says `Sec-Fetch-Site`, which no page can forge; a sandboxed frame, whose origin is `null` too,
 * is cross-site.
 */
function isHiddenOwnOrigin(headers: IncomingHeaders): boolean {
  return headers.get("origin") === "null" && headers.get("sec-fetch-site") === "same-origin"
}
