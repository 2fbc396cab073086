import {
  type BoundAuth,
  bindAuth,
  type Caller,
  forbidSharedCaching,
  type ResponseFields,
  type Settings,
  serializeCookie,
} from "@latchkey/core/integration"
import { type Context, serializeCookie as serializeJar } from "elysia"

const auths = new WeakMap<Request, BoundAuth<Response>>()
/** The path of each request as Elysia's router sees it. The router looks for it after the eleventh character of the URL. */
const paths = new WeakMap<Request, string>()

/** Keeps the session and the actions of a request. The session is read when the host first asks for it. */
export function initAuth(request: Request, caller: Caller, settings: Settings): void {
  const bound = bindAuth<Response>({
    findCaller: () => ({ caller, settings }),
    readTarget: () => readTarget(request),
    refuse: (response) => response,
  })
  auths.set(request, bound)
}

/** Before the router: parsing would resolve the dot segments that some servers leave. */
function readTarget(request: Request): string {
  const { url } = request
  const path = paths.get(request)
  if (path === undefined) return url.slice(url.indexOf("/", url.indexOf(":") + 4))
  const query = url.indexOf("?")
  return query === -1 ? path : `${path}${url.slice(query)}`
}

/**
 * @param path As the router saw it.
 * @throws Error if `ElysiaAuth` has not seen the request
 */
export function findAuth(request: Request, path: string): BoundAuth<Response> {
  const bound = auths.get(request)
  paths.set(request, path)
  if (bound) return bound
  throw new Error(
    "The request has no authentication configuration. Call app.use(ElysiaAuth(config)) before the code that uses it",
  )
}

type ResponseSet = Context["set"]

/**
 * Adds the pending cookies to the response. A value of a handler gets them through Elysia's cookies, which replace all
 * other cookies when Elysia makes the response.
 * @returns the response to send instead, if the handler has made one itself
 */
export function addCookies(request: Request, set: ResponseSet, value: unknown): Response | undefined {
  const bound = auths.get(request)
  if (!bound) return undefined
  const own = value instanceof Response ? value.headers.getSetCookie() : []
  const names = [...own.map((line) => line.split("=", 1)[0] ?? ""), ...Object.keys(set.cookie ?? {})]
  const cookies = bound.takeResponseCookies(names)
  if (cookies.length === 0 && !bound.hasRefused()) return undefined
  Object.assign(set.headers, bound.takeHeaders())
  if (value instanceof Response)
    return complete(
      value,
      set,
      cookies.map((cookie) => serializeCookie(cookie)),
      true,
    )
  set.cookie ??= {}
  for (const { name, value: text, options } of cookies) set.cookie[name] = { ...options, value: text }
  keepPrivate(set, set.headers)
  return undefined
}

/**
 * The whole response, in one piece: Elysia loses cookies when it adds its own headers to those of a response that sets
 * cookies.
 * @param lines `Set-Cookie` values.
 * @param isPrivate Whether shared caches may not store it without cookies either.
 */
export function complete(
  response: Response,
  set: ResponseSet,
  lines: readonly string[] = [],
  isPrivate = false,
): Response {
  const whole = new Response(response.body, response)
  const { headers } = whole
  for (const [name, value] of Object.entries(set.headers)) {
    if (name.toLowerCase() === "set-cookie") for (const line of [value].flat()) headers.append(name, String(line))
    else if (!headers.has(name)) headers.set(name, String(value))
  }
  for (const line of [serializeJar(set.cookie) ?? []].flat().concat(lines)) headers.append("set-cookie", line)
  if (isPrivate || headers.has("set-cookie")) {
    forbidSharedCaching(headers)
    correctHeaders(set, {})
  } else set.headers = {}
  delete set.cookie
  return whole
}

type SetHeaders = ResponseSet["headers"]

/** Forbids shared caching, also for what later hooks of the app set: Elysia offers no moment at which headers are final. */
function keepPrivate(set: ResponseSet, headers: SetHeaders): void {
  forbidSharedCaching(headers instanceof Headers ? headers : toFields(headers))
  correctHeaders(set, headers)
}

/** Corrects later changes only: headers beside a response that is complete would make Elysia lose its cookies. */
function correctHeaders(set: ResponseSet, headers: SetHeaders): void {
  // Elysia replaces them with `Headers` when it makes the response, after all hooks.
  const corrected = headers instanceof Headers ? headers : correctChanges(headers)
  Object.defineProperty(set, "headers", {
    configurable: true,
    enumerable: true,
    get: () => corrected,
    set: (replaced: SetHeaders) => keepPrivate(set, replaced),
  })
}

function correctChanges(headers: SetHeaders): SetHeaders {
  const correct = (isChanged: boolean) => {
    forbidSharedCaching(toFields(headers))
    return isChanged
  }
  return new Proxy(headers, {
    // Assignments end here, too.
    defineProperty: (target, name, property) => correct(Reflect.defineProperty(target, name, property)),
    deleteProperty: (target, name) => correct(Reflect.deleteProperty(target, name)),
  })
}

/** Elysia's headers are an object whose names are in any case. Names in several cases are sent as one field. */
function toFields(headers: SetHeaders): ResponseFields {
  const find = (name: string) => Object.keys(headers).filter((key) => key.toLowerCase() === name)
  return {
    keys: () => Object.keys(headers),
    get(name) {
      const keys = find(name)
      return keys.length === 0 ? null : keys.map((key) => String(headers[key])).join(", ")
    },
    set(name, value) {
      for (const key of find(name)) delete headers[key]
      headers[name] = value
    },
    delete: (name) => void delete headers[name],
  }
}
