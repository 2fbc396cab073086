import { toError } from "../errors/auth-error.js"
import { InvalidCallbackUrl, InvalidConfiguration } from "../errors/errors.js"
import { clearedCookie, encodeCookieValue } from "../http/cookies.js"
import { isHttp } from "../http/origin.js"
import { type AuthRequest, findField } from "../http/request.js"
import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import type { CallbacksOptions } from "../types/callbacks.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** An address that the host's `redirect` callback allowed. */
export type CallbackUrl = string & { readonly checked: "callback-url" }

export interface ResolvedCallbackUrl {
  readonly url: CallbackUrl
  readonly cookies: readonly ResponseCookie[]
}

/** Decides where a visitor goes when a flow is done. */
export interface CallbackUrls {
  /** The request's own wish, else the remembered one, else the origin. Remembers a wish. */
  resolve(request: AuthRequest): Promise<ResolvedCallbackUrl>
  /**
   * Passes one address through the host's policy.
   * @param context The request, for the record of a policy that fails.
   */
  check(url: string, origin: string, context?: LogContext): Promise<CallbackUrl>
}

/** Characters of name and value that every browser takes: RFC 6265bis section 5.6. */
const maxCookieLength = 4096

export function createCallbackUrls(
  cookie: CookieOption,
  { redirect }: Pick<CallbacksOptions, "redirect">,
  log: Log,
): CallbackUrls {
  async function check(url: string, baseUrl: string, context?: LogContext): Promise<CallbackUrl> {
    try {
      const target = toSafeTarget(await redirect({ url, baseUrl }), baseUrl)
      if (target !== null) return target
      const mistake = "callbacks.redirect: must answer an http(s) URL, or a path that starts with a slash"
      log.error(new InvalidConfiguration(mistake), context)
    } catch (thrown) {
      log.error(new InvalidConfiguration("callbacks.redirect: failed", toError(thrown)), context)
    }
    return baseUrl as CallbackUrl // The service's own origin needs nobody's leave.
  }

  async function resolve(request: AuthRequest): Promise<ResolvedCallbackUrl> {
    const { origin } = request.url
    const wish = findField(request, "callbackUrl") ?? request.url.searchParams.get("callbackUrl") ?? undefined
    const remembered = request.cookies.get(cookie.name)
    if (wish !== undefined && wish !== "") {
      const url = await check(wish, origin, request)
      return { url, cookies: remember(url, remembered) }
    }
    if (!remembered) return { url: origin as CallbackUrl, cookies: [] } // As in `check`.
    if (!isWebAddress(remembered)) return { url: origin as CallbackUrl, cookies: [clearedCookie(cookie)] }
    const url = await check(remembered, origin, request)
    return { url, cookies: remember(url, remembered) }
  }

  /** A wish that no cookie can hold is good for this request alone; an older one must not come back in its place. */
  function remember(url: CallbackUrl, remembered: string | undefined): readonly ResponseCookie[] {
    if (url === remembered) return []
    if (cookie.name.length + encodeCookieValue(url).length <= maxCookieLength) return [{ ...cookie, value: url }]
    return remembered === undefined ? [] : [clearedCookie(cookie)]
  }

  return { resolve, check }
}

/**
 * Refuses a `callbackUrl` parameter that no policy could make sense of.
 * @throws InvalidCallbackUrl
 */
export function assertCallbackParameter(url: URL): void {
  if (url.search === "") return
  const given = url.searchParams.get("callbackUrl")
  if (given && !isWebAddress(given)) throw new InvalidCallbackUrl("callbackUrl: must be an http(s) URL or a path")
}

function isWebAddress(text: string): boolean {
  return text.startsWith("/") || isHttp(URL.parse(text))
}

/**
 * What the host answered as a target that every browser reads alike: http(s), nobody's user name in it, no backslash
 * and no control character. A path is one of this origin.
 */
function toSafeTarget(answer: unknown, baseUrl: string): CallbackUrl | null {
  const parsed = typeof answer === "string" ? URL.parse(answer, `${baseUrl}/`) : null
  if (typeof answer !== "string" || !isHttp(parsed)) return null
  parsed.username = ""
  parsed.password = ""
  // Parsing turns those of the path into slashes; queries and fragments keep theirs.
  const href = parsed.href.replaceAll("\\", "%5C")
  // A bare origin stays as the host wrote it, without the slash that parsing adds.
  return (href === `${answer}/` ? answer : href) as CallbackUrl // Just checked.
}
