import type { Awaitable } from "../contract/awaitable.js"
import type { AuthContext } from "../contract/context.js"
import type { IncomingRequest } from "../contract/incoming-request.js"
import type { RequestLimits } from "../contract/request-limits.js"
import { UnknownAction } from "../errors/request.js"
import { parseAuthPath } from "./auth-path.js"
import { readCookies } from "./cookie-jar.js"
import { once } from "./once.js"
import {
  assertFewCookies,
  assertFewPairs,
  assertShortAddress,
  assertSmallHeaders,
  defaultRequestLimits,
} from "./request-limits.js"
import type { Visit } from "./visit.js"

/** Most requests have no body. */
const loadBodyReader = once(() => import("./body.js"))

/**
 * Reads a request once. A GET has nothing to wait for and is read at once.
 * @throws UnknownAction for a method or path that the service does not answer
 * @throws InvalidRequest for a request that is too large, or has a body that cannot be read
 */
export function readVisit(
  request: IncomingRequest,
  basePath: string,
  context: AuthContext = {},
  limits: RequestLimits = defaultRequestLimits,
): Awaitable<Visit> {
  const { method, url: address } = request
  if (method !== "GET" && method !== "POST") {
    throw new UnknownAction("Only GET and POST are answered", { allow: "GET, POST" })
  }
  assertShortAddress(address, limits)
  const url = new URL(address)
  const { route, providerId } = parseAuthPath(url.pathname, basePath)
  const header = request.headers.get("cookie")
  assertFewCookies(header, limits)
  const visit = { request, method, url, route, providerId, cookies: readCookies(header), context } as const
  // Of these nothing but the cookies is looked at, and they are most of what comes.
  if (route === "session" && method === "GET") return { ...visit, body: undefined }
  assertSmallHeaders(request.headers, limits)
  assertFewPairs(url, limits)
  if (method === "GET") return { ...visit, body: undefined }
  return loadBodyReader().then(async ({ readBody }) => ({ ...visit, body: await readBody(request, limits) }))
}
