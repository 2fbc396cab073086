import { createSealer } from "../../crypto/seal.js"
import { toError } from "../../errors/auth-error.js"
import { because } from "../../errors/failure-reason.js"
import { appTokenPrefix, findAppToken } from "../../http/app-token.js"
import { type CookieJar, encodeCookieValue, toCookieJar } from "../../http/cookies.js"
import { parseAuthPath } from "../../http/request.js"
import { noStore, type Reply } from "../../http/response.js"
import { systemClock } from "../../runtime/promise.js"
import { SessionTooLarge } from "../../session/cookies.js"
import type { Awaitable } from "../../types/basics.js"
import type { IncomingHeaders, ResponseCookie } from "../../types/http.js"
import type { ActionContext, Bearer, ReceivedRequest, ServedBy } from "../feature.js"
import type { NativeClients } from "./clients.js"

/** What a native app keeps and sends: RFC 6749 section 5.1. */
export interface SessionToken {
  readonly access_token: string
  readonly token_type: "Bearer"
  /** Seconds. */
  readonly expires_in: number
}

/** Purpose of the seal. With a colon: a host may give a session the name of any cookie. */
const purpose = "native:session"

/** Node accepts 16 KiB of headers. */
const maxLength = 12 * 1024

/** The header of a reply that has a renewed token. */
const renewedTokenHeader = "latchkey-token"

/** RFC 6750 section 3.1. */
const invalidToken = { "www-authenticate": 'Bearer error="invalid_token"' }

/** The routes that an app calls itself. All others are for browsers. */
const appRoutes: ReadonlySet<string> = new Set(["session", "signout", "account/sessions"])

type TokenParts = Pick<ActionContext, "cookies" | "secrets">

/**
 * Creates the token of a session: the value of its cookie, sealed for one client. Works with both strategies, and expires
 * with the session. A cookie is not valid as a token, nor a token as a cookie.
 * @returns null if the cookies have no session
 * @throws SessionTooLarge for a token that does not fit into a header
 */
export async function toSessionToken(
  started: readonly ResponseCookie[],
  clientId: string,
  { cookies: { sessionToken: cookie }, secrets }: TokenParts,
): Promise<SessionToken | null> {
  const isPiece = (name: string) => name === cookie.name || /^\.\d+$/.test(name.slice(cookie.name.length))
  const pieces = started.filter(({ name, value }) => value !== "" && name.startsWith(cookie.name) && isPiece(name))
  const [first] = pieces
  const seconds = Math.floor(((first?.options.expires?.valueOf() ?? 0) - systemClock()) / 1000)
  if (seconds <= 0) return null
  const value = pieces.map((piece) => piece.value).join("")
  const token = appTokenPrefix + (await createSealer(secrets, systemClock).seal(purpose, { value, clientId }, seconds))
  if (token.length > maxLength) {
    throw new SessionTooLarge(
      `The token of a native app has ${token.length} characters, but a header may have ${maxLength}. Put less into the token that callbacks.jwt returns, or store sessions in a database (session.strategy)`,
      because("session-too-large", { characters: token.length, allowed: maxLength }),
    )
  }
  return { access_token: token, token_type: "Bearer", expires_in: seconds }
}

/** What a token stands for. */
interface OpenedToken {
  readonly clientId: string
  /** The value of the session cookie. */
  readonly value: string
}

/** Null for a token that is not valid, or whose client is gone. */
async function openToken(token: string, { secrets }: TokenParts, clients: NativeClients): Promise<OpenedToken | null> {
  if (token.length > maxLength) return null
  const claims = await createSealer(secrets, systemClock).open(purpose, token.slice(appTokenPrefix.length))
  const { value, clientId } = claims ?? {}
  return typeof value === "string" && typeof clientId === "string" && clients.has(clientId) ? { clientId, value } : null
}

/**
 * Signs requests in by their token: the service gets the session cookie that is in it. All cookies of the same request are
 * dropped, at every path, so that no request has two users.
 */
export function createBearer(clients: NativeClients): Bearer {
  return {
    serve(received, next, service) {
      const token = service.mistake === null ? readToken(received.request) : null
      return token === null ? null : serveToken({ token, received, next, service }, clients)
    },
    readToken(headers, context) {
      const token = readToken({ headers })
      return token === null ? null : toJar(token, context, clients)
    },
  }
}

function readToken({ headers }: { readonly headers: Pick<IncomingHeaders, "get"> }): string | null {
  return findAppToken(headers.get("authorization"))
}

function isAppRoute({ request }: ReceivedRequest, service: ServedBy): boolean {
  try {
    return appRoutes.has(parseAuthPath(new URL(request.url).pathname, service).route)
  } catch {
    return false // Not a path of the service.
  }
}

/** The session cookie that is in a token. Empty for a token that is not valid, or of none of these clients. */
export async function toJar(token: string, context: TokenParts, clients: NativeClients): Promise<CookieJar> {
  const opened = await openToken(token, context, clients)
  return toCookieJar(opened ? { [context.cookies.sessionToken.name]: opened.value } : {})
}

interface Serving {
  readonly token: string
  readonly received: ReceivedRequest
  readonly next: (own: ReceivedRequest) => Awaitable<Reply>
  readonly service: ServedBy
}

async function serveToken({ token, received, next, service }: Serving, clients: NativeClients): Promise<Reply> {
  const { request } = received
  const isServed = isAppRoute(received, service)
  const context = service.contextFor(new URL(request.url))
  const opened = isServed ? await openToken(token, context, clients) : null
  const headers = new Headers([...request.headers])
  headers.delete("authorization")
  headers.delete("cookie")
  // An app shows no pages of the service.
  if (isServed) headers.set("accept", "application/json")
  if (opened) headers.set("cookie", `${context.cookies.sessionToken.name}=${encodeCookieValue(opened.value)}`)
  const { method, url, body } = request
  // No page of another site can make a browser send the header, so that a form needs no CSRF token.
  const verified = isServed ? { ...received.context, isVerifiedForm: true } : received.context
  const { cookies = [], ...reply } = await next({ request: { method, url, body, headers }, context: verified })
  const isDone = (reply.status ?? 200) < 300 && reply.redirect === undefined
  const renewed = opened && isDone ? await renew(cookies, opened.clientId, context) : null
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...noStore,
      ...(isServed && reply.status === 401 && invalidToken),
      ...(renewed && { [renewedTokenHeader]: renewed.access_token }),
    },
  }
}

/** Null for a session that has become too large: the former token stays valid. */
async function renew(
  cookies: readonly ResponseCookie[],
  clientId: string,
  context: ActionContext,
): Promise<SessionToken | null> {
  try {
    return await toSessionToken(cookies, clientId, context)
  } catch (error) {
    context.log.error(toError(error))
    return null
  }
}
