import { isEqualInConstantTime, macHex } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import type { AuthRequest } from "../http/request.js"
import { lazy } from "../runtime/cache.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

export interface CsrfToken {
  /** Undefined when the framework protects its forms itself. */
  readonly token: string | undefined
  readonly cookies: readonly ResponseCookie[]
}

/** Double submit: a form proves that it comes from this site by repeating the token of this site's cookie. */
export interface Csrf {
  /** The browser's token, or a new one and its cookie if the browser has none of ours. */
  issue(jar: CookieJar): Promise<CsrfToken>
  /** Clear the cookie after the check was turned off; sent by the csrf action. */
  readonly leftover: readonly ResponseCookie[]
  /** @throws MissingCSRF unless the form comes from this site */
  assertVerified(request: AuthRequest): Promise<void>
}

/** Loaded with the first form, because most requests have none. */
const loadFormCheck = lazy(() => import("./csrf-form.js"))

const pairPattern = /^([0-9a-f]{64})\|([0-9a-f]{64})$/

/** The cookie holds `<token>|<MAC of the token>`. The key of the MAC is used for nothing else. */
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
    const { assertOwnForm } = await loadFormCheck()
    await assertOwnForm(request, findToken)
  }

  return { issue, leftover: [], assertVerified }
}

/** For frameworks that protect their forms themselves: no token, no check. */
export function skippedCsrf(cookie: CookieOption): Csrf {
  return {
    issue: async () => ({ token: undefined, cookies: [] }),
    leftover: [clearedCookie(cookie)],
    assertVerified: async () => {},
  }
}
