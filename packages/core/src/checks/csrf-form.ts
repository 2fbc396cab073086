import { isEqualInConstantTime } from "../crypto/hash.js"
import { MissingCSRF } from "../errors/errors.js"
import type { CookieJar } from "../http/cookies.js"
import { type AuthRequest, findField } from "../http/request.js"
import type { IncomingHeaders } from "../types/http.js"

/**
 * Verifies that a form was sent by a page of this site.
 * @param findToken Returns the token of this site's cookie.
 * @throws MissingCSRF
 */
export async function assertOwnForm(
  request: AuthRequest,
  findToken: (jar: CookieJar) => Promise<string | null>,
): Promise<void> {
  assertOwnOrigin(request)
  if (request.context.isVerifiedForm) return
  const sent = findField(request, "csrfToken")
  if (sent === undefined) throw new MissingCSRF("The form has no csrfToken")
  const token = await findToken(request.cookies)
  if (token === null) throw new MissingCSRF("The CSRF cookie is missing or was not issued by this service")
  if (!isEqualInConstantTime(token, sent)) throw new MissingCSRF("The csrfToken of the form does not match the cookie")
}

/** Keeps the page from asking the visitor to try again: another attempt would fail, too. */
const foreignOrigin = "foreign_origin"

/** Browsers send the origin of a form. Other clients send none, and are checked by the token alone. */
function assertOwnOrigin({ headers, url, context: { proxySetting } }: AuthRequest): void {
  const origin = headers.get("origin")
  if (origin === null || origin === url.origin || isHiddenOwnOrigin(headers)) return
  const from = URL.parse(origin)?.origin ?? "an invalid origin"
  const setting = proxySetting ? `write ${proxySetting}` : "let the framework trust the proxy's X-Forwarded headers"
  throw new MissingCSRF(
    `The form came from ${from}, but this service is at ${url.origin}. If a proxy serves the app at the first address, ${setting}, or set AUTH_URL to it`,
    { error: foreignOrigin },
  )
}

/**
 * A page with `Referrer-Policy: no-referrer`, which some middleware sets for all pages, sends the origin `null` with its
 * own forms. `Sec-Fetch-Site`, which no page can forge, tells them from a sandboxed frame, whose origin is also `null`.
 */
function isHiddenOwnOrigin(headers: IncomingHeaders): boolean {
  return headers.get("origin") === "null" && headers.get("sec-fetch-site") === "same-origin"
}
