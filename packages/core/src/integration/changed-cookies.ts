import { serializeCookie } from "../http/cookies.js"
import type { ResponseCookie } from "../types/http.js"

const changes = new WeakMap<object, ReadonlyMap<string, ResponseCookie>>()

/** Remembers the cookies of an action until the request ends, for frameworks whose functions get nothing but the request. */
export function rememberCookies(request: object, cookies: readonly ResponseCookie[]): void {
  const added = cookies.map((cookie) => [cookie.name, cookie] as const)
  changes.set(request, new Map([...(changes.get(request) ?? []), ...added]))
}

/** The headers of a request with the cookies as its actions have changed them. */
export function withRememberedCookies(request: object, headers: Headers): Headers {
  const changed = changes.get(request)
  if (!changed) return headers
  const sent = (headers.get("cookie") ?? "").split(/; */)
  const kept = sent.filter((pair) => !changed.has(pair.split("=", 1)[0] ?? ""))
  const live = [...changed.values()].filter(({ options }) => options.maxAge !== 0)
  const pairs = live.map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  const copy = new Headers(headers)
  copy.set("cookie", [...kept, ...pairs].join("; "))
  return copy
}
