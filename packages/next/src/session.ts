import type { IncomingHttpHeaders } from "node:http"
import {
  appendCookies,
  forbidSharedCachingFromNowOn,
  readSession,
  serializeCookie,
  unsetCookie,
} from "@latchkey/core/integration"
import type { AppSession, ResponseCookie } from "@latchkey/core/types"
import { fromNodeHeaders, type NodeResponse, setCookies as setNodeCookies } from "@latchkey/node"
import { cookies, headers } from "next/headers.js"
import { connection } from "next/server.js"
import { findReadSettings, type findSettings, type NextConfigSource, toCaller } from "./config.js"

/** The session of the request that Next is handling. */
export interface CurrentSession {
  /** Reads the session once per request and cookie header, however many components ask. */
  read(): Promise<AppSession | null>
  /** Forgets what was read, after an action has changed the session. */
  forget(request: object): void
}

/** Reads sessions without setting cookies: a server component has no response to set them on. The proxy renews sessions. */
export function createCurrentSession(
  source: NextConfigSource,
  find: typeof findSettings = findReadSettings,
): CurrentSession {
  const reads = new WeakMap<object, { readonly cookie: string; readonly session: Promise<AppSession | null> }>()
  async function readFor(sent: Headers): Promise<AppSession | null> {
    const { settings } = await find(source)
    const caller = toCaller(sent, settings.config)
    const context = { ...caller.context, canSetCookies: false }
    return (await readSession({ ...caller, context }, settings)).session
  }
  return {
    async read() {
      const current = await readCurrentRequest()
      const cookie = current.headers.get("cookie") ?? ""
      const known = reads.get(current.request)
      if (known?.cookie === cookie) return await known.session
      const session = readFor(current.headers)
      reads.set(current.request, { cookie, session })
      return await session
    },
    forget(request) {
      reads.delete(request)
    },
  }
}

/** The request behind a server component, an action or a route handler. */
export interface CurrentRequest {
  /** Identifies the request: the same object until it ends. */
  readonly request: object
  /** With the current cookies: an action may have set some since the request arrived. */
  readonly headers: Headers
}

/**
 * Reads the current request from Next, once there is one: with `cacheComponents`, Next renders pages ahead of requests, and
 * refuses code that reads the clock there.
 * @throws Next's own errors, such as the one outside a request
 */
export async function readCurrentRequest(): Promise<CurrentRequest> {
  const [sent, jar] = await Promise.all([headers(), cookies(), connection()])
  const copy = new Headers()
  sent.forEach((value, name) => {
    copy.append(name, value)
  })
  copy.set("cookie", toCookieHeader(sent.get("cookie") ?? "", jar.getAll()))
  return { request: sent, headers: copy }
}

/**
 * The sent header with the changes of an action. Of several cookies with one name Next keeps the last, and the service
 * reads the first, as at the endpoints (RFC 6265 section 5.4 puts longer paths first); so all that were sent are kept.
 */
function toCookieHeader(sent: string, jar: readonly { readonly name: string; readonly value: string }[]): string {
  const current = new Map(jar.map(({ name, value }) => [name, value]))
  const pairs = sent.split(/; */).filter((pair) => pair !== "")
  const unchanged = new Set(pairs.filter((pair) => decode(pair) === current.get(nameOf(pair))).map(nameOf))
  const kept = pairs.filter((pair) => unchanged.has(nameOf(pair)))
  const changed = jar.filter(({ name }) => !unchanged.has(name))
  return [...kept, ...changed.map(({ name, value }) => serializeCookie({ name, value, options: {} }))].join("; ")
}

function nameOf(pair: string): string {
  return pair.split("=", 1)[0] ?? ""
}

/** The value of a pair, as Next decodes it. */
function decode(pair: string): string | undefined {
  try {
    return decodeURIComponent(pair.slice(nameOf(pair).length + 1))
  } catch {
    return undefined
  }
}

/** Sets cookies on the response of a server action or a route handler. Next throws anywhere else. */
export async function setCookies(changed: readonly ResponseCookie[]): Promise<void> {
  if (changed.length === 0) return
  const jar = await cookies()
  for (const { name, value, options } of changed) jar.set(name, value, options)
}

/** Whether Next is handling an action or a route handler. */
export async function canSetCookies(): Promise<boolean> {
  try {
    await setCookies([unsetCookie])
    return true
  } catch {
    return false
  }
}

/** A request of an API route or of `getServerSideProps`: Node's, or a Web `Request` on the edge. */
export interface PagesRequest {
  readonly headers: IncomingHttpHeaders | Headers
}

/** The response of an API route or of `getServerSideProps`: Node's, or a Web `Response` on the edge. */
export type PagesResponse = NodeResponse | { readonly headers: Headers }

/** The current session in the pages router; renewed cookies are added to the response. */
export async function readPagesSession(
  source: NextConfigSource,
  { headers: sent }: PagesRequest,
  response: PagesResponse,
  find: typeof findSettings = findReadSettings,
): Promise<AppSession | null> {
  const { settings } = await find(source)
  const webHeaders = isWebHeaders(sent) ? sent : fromNodeHeaders(sent)
  const { session, cookies: renewed } = await readSession(toCaller(webHeaders, settings.config), settings)
  if ("appendHeader" in response) setNodeCookies(response, renewed)
  else if (renewed.length > 0) {
    appendCookies(response.headers, renewed)
    forbidSharedCachingFromNowOn(response.headers)
  }
  return session
}

function isWebHeaders(given: IncomingHttpHeaders | Headers): given is Headers {
  return typeof given["get"] === "function"
}
