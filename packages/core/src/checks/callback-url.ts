import { toError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { threwIn } from "../errors/failure-reason.js"
import { clearedCookie, encodeCookieValue } from "../http/cookies.js"
import { appUrl, isAddress, isHttp } from "../http/origin.js"
import { isSendable } from "../http/own-cookies.js"
import { type AuthRequest, findField, readQuery } from "../http/request.js"
import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import { andThen, attempt } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { CallbacksOptions } from "../types/callbacks.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** A URL that the host's `redirect` callback allowed. */
export type CallbackUrl = string & { readonly checked: "callback-url" }

export interface ResolvedCallbackUrl {
  readonly url: CallbackUrl
  readonly cookies: readonly ResponseCookie[]
}

/** Decides where a visitor goes after a flow, and remembers it in a cookie. */
export interface CallbackUrls {
  /**
   * The request's `callbackUrl` (form, then query), else the remembered one, else the origin. The host's `redirect`
   * callback is applied to it, except to the origin of a page.
   */
  resolve(request: AuthRequest): Awaitable<ResolvedCallbackUrl>
  /**
   * Applies the host's `redirect` callback to one URL. Falls back to the origin when the callback fails or returns an
   * unsafe URL.
   * @param context The request, for the log.
   */
  check(url: string, origin: string, context?: LogContext): Awaitable<CallbackUrl>
}

export function createCallbackUrls(
  cookie: CookieOption,
  { redirect }: Pick<CallbacksOptions, "redirect">,
  log: Log,
): CallbackUrls {
  function check(url: string, baseUrl: string, context?: LogContext): Awaitable<CallbackUrl> {
    const own = baseUrl as CallbackUrl // The service's own origin is always allowed.
    return attempt(
      () =>
        andThen(redirect({ url, baseUrl }), (returned) => {
          const target = toSafeTarget(returned, baseUrl)
          if (target !== null) return target
          const message = "callbacks.redirect: must return a URL, or a path that starts with one slash"
          log.error(new InvalidConfiguration(message), context)
          return own
        }),
      (thrown) => {
        log.error(
          new InvalidConfiguration("callbacks.redirect: failed", threwIn("callbacks.redirect", toError(thrown))),
          context,
        )
        return own
      },
    )
  }

  function resolve(request: AuthRequest): Awaitable<ResolvedCallbackUrl> {
    const { origin } = request.url
    const requested = findField(request, "callbackUrl") ?? readQuery(request.url, "callbackUrl")
    const remembered = request.cookies.get(cookie.name)
    if (!requested && !remembered) {
      // The contract remembers the origin since the page with the form, so that the host decides about each form.
      const url = request.method === "POST" ? check(origin, origin, request) : (origin as CallbackUrl) // Allowed.
      return andThen(url, (checked) => ({ url: checked, cookies: [] }))
    }
    if (!requested && remembered && !isAddress(remembered))
      return { url: origin as CallbackUrl, cookies: [clearedCookie(cookie)] }
    const url = check(requested || remembered || origin, origin, request)
    return andThen(url, (checked) => ({ url: checked, cookies: remember(checked, remembered) }))
  }

  /** A URL too long for a cookie is used for this request only, and an older one must not replace it later. */
  function remember(url: CallbackUrl, remembered: string | undefined): readonly ResponseCookie[] {
    if (url === remembered) return []
    if (isSendable({ name: cookie.name, value: encodeCookieValue(url) })) return [{ ...cookie, value: url }]
    return remembered === undefined ? [] : [clearedCookie(cookie)]
  }

  return { resolve, check }
}

/**
 * A URL that names its host the way people read it: no user name, backslash, space or control character before it ends.
 * A text: an engine looks up the characters of a literal when it reads this file.
 */
const plainHost = String.raw`^https?://[^\s/?#@\\\p{Cc}]+(?:[/?#]|$)`

/**
 * The URL that the host returned, in a form that every browser parses alike: http(s), without user name, backslashes
 * and control characters, or that of a native app. A path belongs to this origin. Null when it is not such a URL, or
 * when it leaves this origin without showing it: `//evil.test` looks like a path to most policies.
 */
function toSafeTarget(returned: unknown, baseUrl: string): CallbackUrl | null {
  if (returned === baseUrl) return baseUrl as CallbackUrl // Most sign-ins lead here. Parsing it would return the same text.
  if (typeof returned !== "string") return null
  const isForApp = appUrl.test(returned)
  const parsed = URL.parse(returned, `${baseUrl}/`)
  if (!parsed || !(isForApp || isHttp(parsed))) return null
  if (!isForApp && parsed.origin !== baseUrl && !new RegExp(plainHost, "iu").test(returned)) return null
  parsed.username = ""
  parsed.password = ""
  // Parsing replaces the backslashes of the path, but not those of the query and fragment.
  const href = parsed.href.replaceAll("\\", "%5C")
  // Parsing adds a slash to a bare origin, which the host did not write.
  return (href === `${returned}/` ? returned : href) as CallbackUrl // Just checked.
}
