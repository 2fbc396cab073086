import { serializeCookie } from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import type { Cookies } from "@sveltejs/kit"

type KitOptions = Parameters<Cookies["set"]>[2] & { readonly path: string }

/** Sets cookies the way an app does, so that its code sees them. */
export function setCookies(jar: Cookies, cookies: readonly ResponseCookie[]): void {
  for (const { name, value, options } of cookies) jar.set(name, value, toKitOptions(options))
}

/** What is not said is SvelteKit's default, so that everything is said. */
function toKitOptions(options: ResponseCookie["options"]): KitOptions {
  const { path = "/", httpOnly = false, secure = false, sameSite = false, partitioned = false } = options
  const { domain, expires, maxAge, priority } = options
  return {
    ...{ path, httpOnly, secure, sameSite, partitioned },
    ...(domain && { domain }),
    ...(expires && { expires }),
    // SvelteKit throws for parts of a second.
    ...(maxAge !== undefined && { maxAge: Math.floor(maxAge) }),
    ...(priority && { priority }),
  }
}

/** The `Cookie` header as it would be now, after those that were set on the way. */
export function toCookieHeader(jar: Cookies): string {
  const pairs = jar.getAll().map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  return pairs.join("; ")
}

/**
 * The response, with the cookies that keep a session going, unless something later has set them already. A response that
 * is meant for everybody is left as it is: a shared cache would hand one visitor's session to all.
 */
export function withRenewed(response: Response, cookies: readonly ResponseCookie[]): Response {
  const set = new Set(response.headers.getSetCookie().map((line) => line.split("=", 1)[0]))
  const missing = cookies.filter(({ name }) => !set.has(name))
  if (missing.length === 0 || isShared(response)) return response
  // The headers of some responses, such as those of `Response.redirect`, cannot be changed.
  const changed = new Response(response.body, response)
  for (const cookie of missing) changed.headers.append("set-cookie", serializeCookie(cookie))
  return changed
}

/** RFC 9111 sections 5.2.2.9 and 5.2.2.10; RFC 9213 and its like for caches that have a header of their own. */
function isShared({ headers }: Response): boolean {
  return [...headers].some(([name, value]) => {
    if (name === "cache-control") return /\b(?:public|s-maxage)\b/i.test(value)
    return /(?:cdn-cache-control|^surrogate-control)$/.test(name) && !/\b(?:private|no-store)\b/i.test(value)
  })
}
