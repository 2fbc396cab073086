import type { AuthAction } from "@latchkey/types"
import { InvalidRequest, UnknownAction } from "../errors/errors.js"
import { andThen } from "../runtime/promise.js"
import { type Awaitable, authActions } from "../types/basics.js"
import type { RequestLimits } from "../types/config.js"
import type { AuthContext, IncomingHeaders, IncomingRequest } from "../types/http.js"
import type { Fields, readBody, Uploads } from "./body.js"
import { type CookieJar, readCookies } from "./cookies.js"
import { defaultRequestLimits } from "./limits.js"

/** A parsed request. Query and body are untrusted. */
export interface AuthRequest {
  /** Names in lower case. */
  readonly headers: IncomingHeaders
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly route: AuthPath["route"]
  readonly providerId: string | undefined
  /** Undefined without a body, or if it is neither a form nor JSON. */
  readonly body: Fields | undefined
  readonly cookies: CookieJar
  readonly context: AuthContext
  /** Whether it stands for a form whose token was lost: the page of the form is shown again. Default: false. */
  readonly isStaleForm?: boolean
}

/** A field of the body if it is text, else undefined. */
export function findField({ body }: Pick<AuthRequest, "body">, name: string): string | undefined {
  const value = body?.[name]
  return typeof value === "string" ? value : undefined
}

/** A parameter of the query. Most requests have none, and to parse nothing takes as long as to parse a little. */
export function readQuery(url: URL, name: string): string | null {
  return url.search === "" ? null : url.searchParams.get(name)
}

/** Which paths the service handles, and its limits. */
export interface Routing {
  readonly basePath: string
  /** The routes of features by path. `*` as the last segment stands for any one segment. */
  readonly featureRoutes?: Readonly<Record<string, { readonly uploads?: Uploads | undefined }>> | undefined
  readonly requestLimits?: RequestLimits
  /** Imports what reads bodies with the first of them. Without it, every request is read like one without a body. */
  readonly parts?: { loadBodyReader(): Awaitable<{ readonly readBody: typeof readBody }> }
}

/**
 * Parses a request. Synchronous for GET, which has no body to wait for.
 * @throws UnknownAction for a method or path that the service does not have.
 * @throws InvalidRequest for a request that is too large or has a malformed body.
 */
export function readRequest(
  incoming: IncomingRequest,
  routing: Routing,
  context: AuthContext = {},
): Awaitable<AuthRequest> {
  const { requestLimits: limits = defaultRequestLimits } = routing
  const { method, url: address, headers } = incoming
  if (method !== "GET" && method !== "POST") {
    throw new UnknownAction("The method must be GET or POST", { allow: "GET, POST" })
  }
  const { urlLength, headerBytes } = limits
  if (address.length > urlLength) throw new InvalidRequest(`The URL is longer than ${urlLength} characters`, 414)
  const url = new URL(address)
  const { route, providerId } = parseAuthPath(url.pathname, routing)
  const header = headers.get("cookie")
  if (header !== null && header.length > headerBytes) throw tooLarge(headerBytes)
  const cookies = readCookies(header)
  const request = { headers, method, url, route, providerId, body: undefined, cookies, context } as const
  // The most frequent request: only its cookies are read, so only they are limited.
  if (route === "session" && method === "GET") return request
  assertSmallHeaders(headers, limits)
  assertFewPairs(url, limits)
  const reading = method === "POST" ? routing.parts?.loadBodyReader() : undefined
  if (reading === undefined) return request
  const uploads = routing.featureRoutes?.[route]?.uploads
  return andThen(reading, async ({ readBody }) => ({ ...request, body: await readBody(incoming, limits, uploads) }))
}

/** @throws InvalidRequest with 431, RFC 6585 section 5 */
function assertSmallHeaders(headers: IncomingHeaders, { headerBytes }: RequestLimits): void {
  let size = 0
  for (const [name, value] of headers) size += name.length + value.length
  if (size > headerBytes) throw tooLarge(headerBytes)
}

function tooLarge(headerBytes: number): InvalidRequest {
  return new InvalidRequest(`The headers are larger than ${headerBytes} bytes`, 431)
}

/** @throws InvalidRequest with 400 */
function assertFewPairs({ search }: URL, { queryPairs }: RequestLimits): void {
  if (search !== "" && search.split("&").length > queryPairs)
    throw new InvalidRequest(`The query has more than ${queryPairs} parameters`)
}

/** Routes below the base path: the actions of the contract, and the files of the built-in pages. */
export type RouteName = AuthAction | PageFile

/** The files of the built-in pages. */
export type PageFile = (typeof pageFiles)[number]

export const pageFiles = ["password.js", "style.css", "wait.js", "webauthn.js"] as const

/** A parsed path below the base path. */
export interface AuthPath {
  /** A {@link RouteName}, or the path of a feature's route. */
  readonly route: string
  /** The segment after the route. */
  readonly providerId: string | undefined
}

const actionNames: ReadonlySet<string> = new Set(authActions)
const actionsWithProvider: ReadonlySet<string> = new Set(["signin", "callback", "webauthn-options"])

/** Whether the text is the name of an action. Case sensitive. */
export function isAuthAction(text: string): text is AuthAction {
  return actionNames.has(text)
}

/**
 * Normalizes the base path: percent-encoded with upper-case digits (RFC 3986 section 6.2.2.1), as browsers encode, and without
 * a trailing slash; empty at the root. It is text, not a pattern.
 */
export function normalizeBasePath(basePath: string): string {
  // Parsing a URL takes twenty times as long.
  if (usualBasePath.test(basePath)) return basePath
  const path = trimPath(basePath)
  if (path === "") return ""
  return new URL(`http://localhost${path}`).pathname.replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase())
}

/** A path that is normal already: it has no dots. */
const usualBasePath = /^(?:\/[\w-]+)+$/

/** A path with a leading slash and without a trailing one; empty for the root. */
export function trimPath(path: string): string {
  const trimmed = path.replace(/^\/+|(?<!\/)\/+$/g, "")
  return trimmed === "" ? "" : `/${trimmed}`
}

/**
 * Parses `<basePath>/<action>[/<provider>]`, or the path of a feature. Drops empty segments and compares whole ones.
 * @throws UnknownAction for any other path.
 */
export function parseAuthPath(pathname: string, { basePath, featureRoutes }: Routing): AuthPath {
  if (basePath !== "" && !pathname.startsWith(`${basePath}/`))
    throw new UnknownAction(
      `The path is outside the base path, ${basePath}${adviseMount(pathname)}. Correct basePath, else the path of AUTH_URL`,
    )
  const path = pathname.slice(basePath.length + 1)
  if (isRouteName(path)) return { route: path, providerId: undefined }
  const segments = path.split("/").filter(Boolean)
  const own = featureRoutes && findFeatureRoute(segments, featureRoutes)
  if (own) return own
  const [route, providerId, ...rest] = segments
  if (route === undefined || !isRouteName(route)) throw new UnknownAction("There is no such action")
  const allowed = actionsWithProvider.has(route) ? 1 : 0
  if (rest.length + (providerId === undefined ? 0 : 1) > allowed)
    throw new UnknownAction("The path has too many segments")
  return { route, providerId }
}

/** The base path that would fit the path of an action, as where a framework has mounted the service elsewhere. */
function adviseMount(pathname: string): string {
  const segments = pathname.split("/", 10)
  const index = segments.findIndex(isRouteName)
  const mount = segments.slice(0, Math.max(index, 0)).join("/")
  return mount === "" || mount.length > 100 ? "" : `, but fits basePath: "${mount}"`
}

function findFeatureRoute(segments: readonly string[], routes: object): AuthPath | undefined {
  const path = segments.join("/")
  // A pattern would take quadratic time for a long segment.
  const route = [path, `${path.slice(0, path.lastIndexOf("/") + 1)}*`].find((name) => Object.hasOwn(routes, name))
  return route === undefined ? undefined : { route, providerId: route === path ? undefined : segments.at(-1) }
}

export function isRouteName(text: string): text is RouteName {
  return isAuthAction(text) || (pageFiles as readonly string[]).includes(text)
}

/** Creates a `Request` without a body, for code of the app that reads headers only. */
export function toBodilessRequest({ url, method, headers }: Pick<AuthRequest, "url" | "method" | "headers">): Request {
  return new Request(url, { method, headers: [...headers] })
}
