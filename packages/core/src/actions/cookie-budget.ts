import { mailFlowCookie, tokenCookies } from "../checks/mail-flow.js"
import type { ActionContext } from "../features/feature.js"
import type { ResolvedCookies } from "../http/cookie-options.js"
import { type CookieJar, clearedCookie, encodeCookieValue } from "../http/cookies.js"
import { cookieBudget } from "../http/limits.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { Sessions } from "../session/session.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/**
 * Keeps the sum of the service's cookies within the budget: a browser that sends more than the server accepts is answered
 * with 431 everywhere, and cannot free itself. Gives up the oldest sign-ins in progress, then the remembered callback URL.
 * A session fits by itself. Cookies of its name that hold none, such as those that a neighboring site planted, are cleared.
 */
export async function fitCookies(
  reply: Reply,
  request: AuthRequest,
  { cookies: own, sessions }: Pick<ActionContext, "cookies" | "sessions">,
): Promise<Reply> {
  const { cookies: jar } = request
  const replied = reply.cookies ?? []
  const sizes = measureCookies(replied, jar, own)
  const fresh = new Set(replied.map(({ name }) => name))
  const flows = listFlowCookies(own, sizes.keys()).filter(({ name }) => !fresh.has(name))
  const dropped = new Map<string, ResponseCookie>()
  let surplus = -cookieBudget
  for (const size of sizes.values()) surplus += size
  for (const cookie of [...flows, own.callbackUrl]) {
    if (surplus <= 0) break
    const size = sizes.get(cookie.name)
    if (size === undefined) continue
    dropped.set(cookie.name, clearedCookie(cookie))
    surplus -= size
  }
  const kept = replied.filter(({ name }) => !dropped.has(name))
  const cleared = surplus > 0 ? await clearInvalidSession(request, sessions) : []
  return { ...reply, cookies: [...kept, ...dropped.values(), ...cleared.filter(({ name }) => !fresh.has(name))] }
}

/** The cookies that clear a session, unless it is valid. */
async function clearInvalidSession(request: AuthRequest, sessions: Sessions): Promise<readonly ResponseCookie[]> {
  const { session, cookies } = await sessions.check(request)
  return session === null ? cookies : []
}

/** Characters of each of the service's cookies that the browser will send after this reply. */
function measureCookies(
  replied: readonly ResponseCookie[],
  jar: CookieJar,
  own: ResolvedCookies,
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  const count = (name: string, value: string) => sizes.set(name, `${name}=; `.length + encodeCookieValue(value).length)
  for (const cookie of [...Object.values(own), mailFlowCookie(own), tokenCookies(own)]) {
    for (const name of jar.namesStarting(cookie.name)) count(name, jar.values(name).join(""))
  }
  for (const { name, value, options } of replied) {
    if (options.maxAge === 0) sizes.delete(name)
    else count(name, value)
  }
  return sizes
}

/** The check cookies among the names, the oldest flow first: the id after the configured name begins with its time. */
function listFlowCookies(own: ResolvedCookies, names: Iterable<string>): readonly CookieOption[] {
  const checks = [own.state, own.pkceCodeVerifier, own.nonce, own.webauthnChallenge, mailFlowCookie(own)]
  const found = [...names].flatMap((name) => {
    const check = checks.find((cookie) => name.startsWith(`${cookie.name}.`))
    return check ? [{ id: name.slice(check.name.length), cookie: { ...check, name } }] : []
  })
  return found.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id))).map(({ cookie }) => cookie)
}
