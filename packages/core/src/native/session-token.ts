import type { ActionContext, BearerHook } from "../actions/context.js"
import { createSealer } from "../crypto/seal.js"
import { toError } from "../errors/auth-error.js"
import { type CookieJar, toCookieJar } from "../http/cookies.js"
import type { AuthRequest } from "../http/request.js"
import { systemClock } from "../runtime/promise.js"
import { SessionTooLarge } from "../session/cookies.js"
import type { SessionRequest, Sessions } from "../session/session.js"
import type { IncomingHeaders, ResponseCookie } from "../types/http.js"

/** What a native app keeps and sends: RFC 6749 section 5.1. */
export interface SessionToken {
  readonly access_token: string
  readonly token_type: "Bearer"
  /** Seconds. */
  readonly expires_in: number
}

/** Tells our tokens from those of others in the same header, and lets scanners of leaked secrets find them. */
const prefix = "latchkey_"

/** Purpose of the seal. With a colon: a host may give a session the name of any cookie. */
const purpose = "native:session"

/** Node accepts 16 KiB of headers. */
const maxLength = 12 * 1024

/** The header of a reply that has a renewed token. */
export const renewedTokenHeader = "latchkey-token"

/** The routes that an app calls by itself. The others belong to a browser. */
const appRoutes: ReadonlySet<string> = new Set(["session", "signout", "account/sessions"])

/** A request that a token signs in. Its cookies count for nothing, so that neither can stand in for the other. */
class TokenJar implements CookieJar {
  readonly isToken: true = true
  readonly token: string

  constructor(token: string) {
    this.token = token
  }

  get(): undefined {
    return undefined
  }

  values(): readonly string[] {
    return []
  }

  namesStarting(): readonly string[] {
    return []
  }
}

/**
 * Reads the header `Authorization`, RFC 6750 section 2.1. A token without our prefix belongs to someone else, such as a
 * proxy: then the cookies count.
 */
export function readTokenJar(headers: Pick<IncomingHeaders, "get">, route?: string): CookieJar | null {
  if (route !== undefined && !appRoutes.has(route)) return null
  const [, token] = /^bearer +(\S+)$/i.exec(headers.get("authorization")?.slice(0, maxLength + 16) ?? "") ?? []
  if (!token?.startsWith(prefix)) return null
  return new TokenJar(token.length <= maxLength ? token.slice(prefix.length) : "")
}

type Setting = Pick<ActionContext, "cookies" | "secrets">

/**
 * The token of a session: its cookie's value, sealed for a client. So it is good for both strategies and as long as the
 * session, a cookie is no token, and a token is no cookie.
 * @returns null if there is no session in the cookies
 * @throws SessionTooLarge for a token that does not fit into a header
 */
export async function toSessionToken(
  started: readonly ResponseCookie[],
  clientId: string,
  { cookies: { sessionToken: cookie }, secrets }: Setting,
): Promise<SessionToken | null> {
  const isPiece = (name: string) => name === cookie.name || /^\.\d+$/.test(name.slice(cookie.name.length))
  const pieces = started.filter(({ name, value }) => value !== "" && name.startsWith(cookie.name) && isPiece(name))
  const [first] = pieces
  const seconds = Math.floor(((first?.options.expires?.valueOf() ?? 0) - systemClock()) / 1000)
  if (seconds <= 0) return null
  const value = pieces.map((piece) => piece.value).join("")
  const token = prefix + (await createSealer(secrets, systemClock).seal(purpose, { value, clientId }, seconds))
  if (token.length > maxLength) {
    throw new SessionTooLarge(
      `The token of a native app has ${token.length} characters, but a header may have ${maxLength}. Put less into the token that callbacks.jwt returns, or store sessions in a database (session.strategy)`,
    )
  }
  return { access_token: token, token_type: "Bearer", expires_in: seconds }
}

/** The client that a token was made for, and the session's cookie in it. Null if it is not valid, or no longer. */
async function openToken({ token }: TokenJar, { cookies, secrets }: Setting, clientIds: ReadonlySet<string>) {
  if (token === "") return null
  const { value, clientId } = (await createSealer(secrets, systemClock).open(purpose, token)) ?? {}
  if (typeof value !== "string" || typeof clientId !== "string" || !clientIds.has(clientId)) return null
  return { clientId, jar: toCookieJar({ [cookies.sessionToken.name]: value }) }
}

/** How the service reads, keeps and renews the tokens of these clients. */
export function createBearerHook(clientIds: ReadonlySet<string>): BearerHook {
  const openJar = async (jar: TokenJar, setting: Setting) =>
    (await openToken(jar, setting, clientIds))?.jar ?? toCookieJar({})
  return {
    read: readTokenJar,
    wrapSessions: (sessions, setting) => wrap(sessions, (jar) => openJar(jar, setting)),
    async finish({ cookies = [], ...reply }, request, context) {
      const { cookies: jar } = request
      const status = reply.status ?? 200
      if (status === 401) return { ...reply, headers: { ...reply.headers, ...invalidToken } }
      const opened = jar instanceof TokenJar && status < 300 ? await openToken(jar, context, clientIds) : null
      const renewed = opened && (await renew(cookies, opened.clientId, request, context))
      return renewed ? { ...reply, headers: { ...reply.headers, [renewedTokenHeader]: renewed.access_token } } : reply
    },
  }
}

/** RFC 6750 section 3.1. */
const invalidToken = { "www-authenticate": 'Bearer error="invalid_token"' }

/** Null for a session that has become too large: the former token goes on. */
async function renew(
  cookies: readonly ResponseCookie[],
  clientId: string,
  request: AuthRequest,
  context: ActionContext,
): Promise<SessionToken | null> {
  try {
    return await toSessionToken(cookies, clientId, context)
  } catch (error) {
    context.log.error(toError(error), request)
    return null
  }
}

function wrap(sessions: Sessions, open: (jar: TokenJar) => Promise<CookieJar>): Sessions {
  const { renew, identify } = sessions
  const isOurs = (jar: CookieJar): jar is TokenJar => jar instanceof TokenJar
  const openRequest = async (request: SessionRequest) =>
    isOurs(request.cookies) ? { ...request, cookies: await open(request.cookies) } : request
  return {
    ...sessions,
    check: (request, update) =>
      isOurs(request.cookies)
        ? openRequest(request).then((opened) => sessions.check(opened, update))
        : sessions.check(request, update),
    findUser: async (jar, find) => sessions.findUser(isOurs(jar) ? await open(jar) : jar, find),
    end: async (request) => sessions.end(await openRequest(request)),
    ...(renew && { renew: async (request) => renew(await openRequest(request)) }),
    ...(identify && { identify: async (request) => identify(await openRequest(request)) }),
  }
}
