import type { Awaitable } from "../contract/awaitable.js"
import { UnknownAction } from "../errors/request.js"
import { parseAuthPath } from "./auth-path.js"
import { readBody } from "./body.js"
import { readCookies } from "./cookie-jar.js"
import type { Visit } from "./visit.js"

/**
 * Reads a request once. A GET has nothing to wait for and is read at once.
 * @throws UnknownAction for a method or path that the service does not answer
 * @throws InvalidRequest for a body that cannot be read
 */
export function readVisit(request: Request, basePath: string): Awaitable<Visit> {
  const { method } = request
  if (method !== "GET" && method !== "POST") throw new UnknownAction("Only GET and POST are answered")
  const url = new URL(request.url)
  const { route, providerId } = parseAuthPath(url.pathname, basePath)
  const cookies = readCookies(request.headers.get("cookie"))
  const visit = { request, method, url, route, providerId, cookies } as const
  if (method === "GET") return { ...visit, body: undefined }
  return readBody(request).then((body) => ({ ...visit, body }))
}
