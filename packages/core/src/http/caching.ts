import { BoundedMap } from "../runtime/cache.js"
import type { ResponseCookie } from "../types/http.js"
import { serializeCookie } from "./cookies.js"

/** The header fields of a response that is not sent yet: Web `Headers`, or those of a server's own response. */
export interface ResponseFields {
  keys(): Iterable<string>
  get(name: string): string | null
  set(name: string, value: string): void
  delete(name: string): void
}

/**
 * Fields that overrule `Cache-Control` in shared caches: RFC 9213 and its vendor forms (`Vercel-CDN-Cache-Control`), the
 * Edge Architecture's `Surrogate-Control`, nginx, Akamai and LiteSpeed; `Expires`, RFC 9111 section 5.3.
 */
const sharedCacheField =
  /^(?:expires|x-accel-expires|edge-control|(?:.*-)?(?:cdn-cache-control|surrogate-control|litespeed-cache-control))$/i

/**
 * Makes a response that sets cookies unstorable for shared caches, which would send a visitor's session cookie to other
 * visitors (RFC 9111 section 7.3). `Cache-Control` stays as it is if it is `private` or `no-store` already.
 */
export function forbidSharedCaching(fields: ResponseFields): void {
  for (const name of [...fields.keys()]) if (isSharedCacheField(name)) fields.delete(name)
  if (!isKnownPrivate(fields.get("cache-control") ?? "")) fields.set("cache-control", "private, no-store")
}

/**
 * Whether the field overrules `Cache-Control` in shared caches. The responses of an app have few different names and values,
 * and a lookup takes a tenth of the time of a match.
 */
export const isSharedCacheField: (name: string) => boolean = remembered((name) => sharedCacheField.test(name))
const isKnownPrivate = remembered(isPrivate)

function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const results = new BoundedMap<string, boolean>(100)
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = test(text)
    results.set(text, result)
    return result
  }
}

/**
 * Like {@link forbidSharedCaching}, for a response that the app is still building: what the app sets later is corrected,
 * too. For frameworks that offer no moment at which the headers are final.
 */
export function forbidSharedCachingFromNowOn(headers: Headers): void {
  forbidSharedCaching(headers)
  if (Object.hasOwn(headers, "set")) return
  const { set, append, delete: remove } = headers
  let isCorrecting = false
  const corrected = (write: typeof set) => (name: string, value: string) => {
    write.call(headers, name, value)
    if (isCorrecting) return
    isCorrecting = true
    forbidSharedCaching(headers)
    isCorrecting = false
  }
  Object.assign(headers, { set: corrected(set), append: corrected(append), delete: corrected(remove) })
}

/** What Nitro adds to the requests that it passes on. */
interface NitroRequest {
  readonly context?: { routeRules?: { readonly isr?: unknown } | undefined } | undefined
}

/**
 * Keeps the response to a request out of the platform's cache. For a route with the rule `isr`, Nitro's preset for Netlify adds
 * a header for that cache after all other code has run, whatever `Cache-Control` says. Integrations of frameworks on Nitro call
 * this when they read a session.
 */
export function forbidPlatformCaching(request: Request): void {
  const { context }: NitroRequest = request as NitroRequest // as: only Nitro's requests have it.
  // Other requests have the same rules.
  if (context?.routeRules?.isr) context.routeRules = { ...context.routeRules, isr: false }
}

/**
 * RFC 9111 sections 5.2.2.5 and 5.2.2.7. `private="..."` protects the named fields only, caches that see `public` or
 * `s-maxage` beside `private` disagree, and `must-understand` makes caches ignore `no-store` (section 5.2.2.3).
 */
function isPrivate(cacheControl: string): boolean {
  const directives = cacheControl.split(",").map((directive) => directive.trim().toLowerCase())
  if (directives.some((directive) => /^(?:public$|must-u|s-maxage)/.test(directive))) return false
  return directives.includes("private") || directives.includes("no-store")
}

/** Adds cookies to the complete headers of a response. With cookies, shared caches may no longer store it. */
export function appendCookies(headers: Headers, cookies: readonly ResponseCookie[]): void {
  if (cookies.length === 0) return
  for (const cookie of cookies) headers.append("set-cookie", serializeCookie(cookie))
  forbidSharedCaching(headers)
}
