import type { AuthAction } from "@latchkey/types"
import { UnknownAction } from "../errors/errors.js"
import { lazy } from "../runtime/cache.js"
import { type Awaitable, authActions } from "../types/basics.js"
import type { RequestLimits } from "../types/config.js"
import type { AuthContext, IncomingHeaders, IncomingRequest } from "../types/http.js"
import type { Fields } from "./body.js"
import { type CookieJar, readCookies } from "./cookies.js"
import {
  assertFewCookies,
  assertFewPairs,
  assertShortAddress,
  assertSmallHeaders,
  defaultRequestLimits,
} from "./limits.js"

/** One request, read once. Query and body are untrusted until something parsed them. */
export interface AuthRequest {
  readonly headers: IncomingHeaders
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly route: RouteName
  readonly providerId: string | undefined
  /** Undefined when there is none, or none that is read: neither form nor JSON. */
  readonly body: Fields | undefined
  readonly cookies: CookieJar
  readonly context: AuthContext
}

/** A field of the body, when it is text. */
export function findField({ body }: Pick<AuthRequest, "body">, name: string): string | undefined {
  const value = body?.[name]
  return typeof value === "string" ? value : undefined
}

/** Whether a form asks for the target of a redirect as JSON, as the browser's side of next-auth 4 does. */
export function asksForJson(request: Pick<AuthRequest, "body">): boolean {
  return findField(request, "json") === "true"
}

/** Most requests have no body. */
const loadBodyReader = lazy(() => import("./body.js"))

/**
 * Reads a request once. A GET has nothing to wait for and is read at once.
 * @throws UnknownAction for a method or path that the service does not answer
 * @throws InvalidRequest for a request that is too large, or has a body that cannot be read
 */
export function readRequest(
  incoming: IncomingRequest,
  basePath: string,
  context: AuthContext = {},
  limits: RequestLimits = defaultRequestLimits,
): Awaitable<AuthRequest> {
  const { method, url: address, headers } = incoming
  if (method !== "GET" && method !== "POST") {
    throw new UnknownAction("Only GET and POST are answered", { allow: "GET, POST" })
  }
  assertShortAddress(address, limits)
  const url = new URL(address)
  const { route, providerId } = parseAuthPath(url.pathname, basePath)
  const header = headers.get("cookie")
  assertFewCookies(header, limits)
  const request = { headers, method, url, route, providerId, cookies: readCookies(header), context } as const
  // Of these nothing but the cookies is looked at, and they are most of what comes.
  if (route === "session" && method === "GET") return { ...request, body: undefined }
  assertSmallHeaders(headers, limits)
  assertFewPairs(url, limits)
  if (method === "GET") return { ...request, body: undefined }
  return loadBodyReader().then(async ({ readBody }) => ({ ...request, body: await readBody(incoming, limits) }))
}

/** What the service answers below its base path: the actions of the contract, and what the built-in pages load. */
export type RouteName = AuthAction | "style.css" | "webauthn.js"

export interface AuthPath {
  readonly route: RouteName
  readonly providerId: string | undefined
}

const actionNames: ReadonlySet<string> = new Set(authActions)
const actionsWithProvider: ReadonlySet<string> = new Set(["signin", "callback", "webauthn-options"])

/** Whether the text names an action. Names are case sensitive. */
export function isAuthAction(text: string): text is AuthAction {
  return actionNames.has(text)
}

/**
 * The base path without a trailing slash and encoded as URLs have it; empty when the service is mounted at the root. It
 * is text, not a pattern.
 */
export function normalizeBasePath(basePath: string): string {
  const trimmed = basePath.replace(/^\/+|\/+$/g, "")
  return trimmed === "" ? "" : new URL(`http://localhost/${trimmed}`).pathname
}

/**
 * Reads `<basePath>/<action>[/<provider>]`. Empty segments are dropped, whole segments are compared.
 * @throws UnknownAction for anything else
 */
export function parseAuthPath(pathname: string, basePath: string): AuthPath {
  if (basePath !== "" && !pathname.startsWith(`${basePath}/`))
    throw new UnknownAction("The path is outside the base path")
  const path = pathname.slice(basePath.length + 1)
  if (isRouteName(path)) return { route: path, providerId: undefined }
  const [route, providerId, ...rest] = path.split("/").filter(Boolean)
  if (route === undefined || !isRouteName(route)) throw new UnknownAction("There is no such action")
  const allowed = actionsWithProvider.has(route) ? 1 : 0
  if (rest.length + (providerId === undefined ? 0 : 1) > allowed)
    throw new UnknownAction("The path has too many segments")
  return { route, providerId }
}

function isRouteName(text: string): text is RouteName {
  return text === "style.css" || text === "webauthn.js" || isAuthAction(text)
}

/** The provider that an address names, whatever else is wrong with it; for the log. */
export function findProviderId(address: string, basePath: string): string | undefined {
  try {
    return parseAuthPath(new URL(address).pathname, basePath).providerId
  } catch {
    return undefined // No path of the service: no provider of it either.
  }
}

/**
 * The request as a request for the host's code: same URL and headers, the fields as JSON, because the body of the real
 * one has been read.
 */
export function toHostRequest(request: AuthRequest, fields: Readonly<Record<string, unknown>>): Request {
  const headers = [...request.headers].filter(([name]) => !ofBody.has(name))
  headers.push(["content-type", "application/json"])
  return new Request(request.url, { method: "POST", headers, body: JSON.stringify(fields) })
}

/** Headers that say how a body was written or sent. */
const ofBody: ReadonlySet<string> = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding"])

/** A request for the host's code that looks at its headers: its body is the service's. */
export function toBodilessRequest({ url, method, headers }: Pick<AuthRequest, "url" | "method" | "headers">): Request {
  return new Request(url, { method, headers: [...headers] })
}
