import { adviseOn, type CookieChange, findRoom, fitCookies, measure } from "../http/cookie-budget.js"
import type { OwnCookieKind } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { Log } from "../log/log.js"
import type { ResponseCookie } from "../types/http.js"
import type { ActionContext } from "./feature.js"

/**
 * Keeps the service's cookies within the budget. Cookies that hold no valid session, such as those that a neighboring site
 * planted, are cleared before anything is given up that the user would miss.
 */
export async function fitReply(
  reply: Reply,
  request: AuthRequest,
  context: Pick<ActionContext, "cookieRules" | "sessions" | "log" | "actionUrl">,
): Promise<Reply> {
  const { cookieRules: rules, log } = context
  const replied = reply.cookies ?? []
  const change = { jar: request.cookies, replied, pagePath: findPagePath(request, context) }
  const first = fitCookies(change, rules)
  const cleared =
    first.leftOut.length > 0 || first.surplus > 0 ? await clearInvalidSession(change, request, context) : []
  const fitted = cleared.length > 0 ? fitCookies({ ...change, replied: [...replied, ...cleared] }, rules) : first
  for (const kind of fitted.leftOut) warnOfLeftOut(kind, log)
  return { ...reply, cookies: fitted.cookies }
}

/** The path of the pages with cookies of their own, if the browser sent these: RFC 6265 section 5.1.4. */
function findPagePath(request: AuthRequest, { actionUrl }: Pick<ActionContext, "actionUrl">): string | undefined {
  const own = request.url.pathname
  return (["signin", "password"] as const)
    .map((page) => new URL(actionUrl(request, page)).pathname)
    .find((path) => own === path || own.startsWith(`${path}/`))
}

/** The cookies that clear a session, unless it is valid. None if the reply sets one. */
async function clearInvalidSession(
  { replied }: CookieChange,
  request: AuthRequest,
  { sessions, cookieRules }: Pick<ActionContext, "cookieRules" | "sessions">,
): Promise<readonly ResponseCookie[]> {
  const { name } = cookieRules.cookies.sessionToken
  if (replied.some((cookie) => cookie.name.startsWith(name) && cookie.options.maxAge !== 0)) return []
  const { session, cookies } = await sessions.check(request)
  const set = new Set(replied.map((cookie) => cookie.name))
  return session === null ? cookies.filter((cookie) => !set.has(cookie.name)) : []
}

/** Logs, once for each kind, that a cookie did not fit. */
export function warnOfLeftOut(kind: OwnCookieKind, log: Log): void {
  log.warnOnce("cookies-full", adviseOn(kind))
}

/** A cookie with a smaller one in its place if it does not fit. */
export interface CookieWithSpare extends ResponseCookie {
  readonly kind: "hint"
  readonly spare: ResponseCookie
}

/** The cookies that are set when a session starts. Those that do not fit beside all others are replaced by their spare. */
export function chooseSpares(
  started: readonly ResponseCookie[],
  added: readonly (ResponseCookie | CookieWithSpare)[],
  { cookies: jar }: Pick<AuthRequest, "cookies">,
  { cookieRules, log }: Pick<ActionContext, "cookieRules" | "log">,
): readonly ResponseCookie[] {
  return added.map((cookie) => {
    if (!("spare" in cookie)) return cookie
    const replied = [...started, ...added]
    if (measure([cookie]) <= findRoom(cookie.kind, cookie.name, { jar, replied }, cookieRules)) return cookie
    warnOfLeftOut(cookie.kind, log)
    return cookie.spare
  })
}
