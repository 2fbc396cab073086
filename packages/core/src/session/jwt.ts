import type { User } from "@latchkey/types"
import { tokens } from "../crypto/jwt.js"
import { toError } from "../errors/auth-error.js"
import { JWTSessionError, SignOutError } from "../errors/errors.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { CookieJar } from "../http/cookies.js"
import type { Log } from "../log/log.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { JWT, JWTOptions } from "../types/jwt.js"

import { clearChunks, readCandidates, toChunks } from "./cookies.js"
import {
  type CheckedSession,
  claimStart,
  type EndedSession,
  expiryOf,
  findClaimedStart,
  isOver,
  type Lifetime,
  type Sessions,
  type SessionUpdate,
  type SessionVisit,
  type SignedIn,
  startNow,
} from "./session.js"

interface StatelessNeeds extends Lifetime {
  readonly cookie: CookieOption
  /** Cookies that one session may take. Default: 20. */
  readonly maxChunks?: number
  readonly tokens: SessionTokens
  readonly callbacks: Pick<HostCallbacks, "jwt" | "session">
  readonly events: Events
  readonly log: Log
  /** Finds a stored user by id; absent without an adapter. */
  readonly getUser: ((id: string) => Promise<AdapterUser | null>) | undefined
}

/** Sessions whose whole state is a sealed token in the browser's cookie. */
export function statelessSessions(needs: StatelessNeeds): Sessions {
  return {
    start: (signedIn, jar) => startSession(needs, signedIn, jar),
    check: (request, update) => checkSession(needs, request, update),
    findUser: (jar) => findUser(needs, jar),
    end: (request) => endSession(needs, request),
  }
}

async function startSession(
  needs: StatelessNeeds,
  signedIn: SignedIn,
  jar: CookieJar,
): Promise<readonly ResponseCookie[]> {
  const { user, account, profile, isNewUser } = signedIn
  const token = await needs.callbacks.jwt({
    token: toClaims(user),
    user,
    account,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && { isNewUser }),
    trigger: isNewUser ? "signUp" : "signIn",
  })
  if (token === null) return clearChunks(jar, needs.cookie)
  const start = startNow(needs)
  return sealToken(needs, claimStart(token, start), expiryOf(needs, start), jar)
}

function toClaims({ id, name, email, image }: User): JWT {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(image !== undefined && { picture: image }),
    ...(id !== undefined && { sub: String(id) }),
  }
}

function checkSession(
  needs: StatelessNeeds,
  request: SessionVisit,
  update?: SessionUpdate,
): Promise<CheckedSession> | CheckedSession {
  const jar = request.cookies
  const candidates = readCandidates(jar, needs.cookie.name, needs.maxChunks)
  if (candidates.length === 0) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  return checkToken(needs, request, candidates, update).catch((error: unknown) => {
    needs.log.error(new JWTSessionError("The session token was refused", toError(error)), request)
    return { session: null, cookies: clearChunks(jar, needs.cookie) }
  })
}

async function checkToken(
  needs: StatelessNeeds,
  request: SessionVisit,
  candidates: readonly string[],
  update: SessionUpdate | undefined,
): Promise<CheckedSession> {
  const { callbacks, events } = needs
  const jar = request.cookies
  const claims = await needs.tokens.openFirst(candidates)
  const start = findClaimedStart(claims, needs)
  if (isOver(needs, start)) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  const kept = await callbacks.jwt({ token: claims, ...(update && { session: update.newSession, trigger: "update" }) })
  if (kept === null) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  const token = claimStart(kept, start)
  const expires = expiryOf(needs, start)
  const seen = { user: toUser(token), expires: expires.toISOString() }
  const session = await callbacks.session({ session: seen, token, ...(update && { ...update, trigger: "update" }) })
  const cookies = await sealToken(needs, token, expires, jar)
  await events.send("session", { session, token }, request)
  return { session, cookies }
}

function toUser({ name, email, picture }: JWT): User {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(picture !== undefined && { image: picture }),
  }
}

async function sealToken(
  needs: StatelessNeeds,
  token: JWT,
  expires: Date,
  jar: CookieJar,
): Promise<readonly ResponseCookie[]> {
  const { cookie, clock, absoluteMaxAge } = needs
  const secondsLeft = absoluteMaxAge === undefined ? undefined : Math.ceil((expires.valueOf() - clock()) / 1000)
  const value = await needs.tokens.seal(token, secondsLeft)
  return toChunks({ name: cookie.name, value, options: { ...cookie.options, expires } }, jar, needs.maxChunks)
}

async function findUser(needs: StatelessNeeds, jar: CookieJar): Promise<AdapterUser | null> {
  const { cookie, tokens, getUser, maxChunks } = needs
  const candidates = readCandidates(jar, cookie.name, maxChunks)
  if (candidates.length === 0 || !getUser) return null
  const claims = await tokens.openFirst(candidates).catch(() => null) // An invalid token is nobody's session.
  if (!claims?.sub || isOver(needs, findClaimedStart(claims, needs))) return null
  return (await getUser(claims.sub)) ?? null // Some adapters answer undefined for nobody.
}

async function endSession(
  { cookie, tokens, log, maxChunks }: StatelessNeeds,
  request: SessionVisit,
): Promise<EndedSession> {
  const jar = request.cookies
  const cookies = clearChunks(jar, cookie)
  const candidates = readCandidates(jar, cookie.name, maxChunks)
  if (candidates.length === 0) return { message: null, cookies }
  try {
    return { message: { token: await tokens.openFirst(candidates) }, cookies }
  } catch (error) {
    log.error(new SignOutError("The session token was refused; its cookies are cleared", toError(error)), request)
    return { message: null, cookies }
  }
}

/** Seals and opens session tokens, by the host's own functions where it gave some. */
interface SessionTokens {
  /** @param atMostSeconds Shortens the configured lifetime. */
  seal(claims: JWT, atMostSeconds?: number): Awaitable<string>
  /**
   * The claims of the first text that is a valid token. A browser may send two cookies of one name, one of them
   * foreign.
   */
  openFirst(texts: readonly string[]): Promise<JWT>
}

export interface SessionTokenOptions {
  readonly secrets: readonly string[]
  /** Name of the session cookie. */
  readonly salt: string
  /** Seconds. */
  readonly maxAge: number
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
}

export function createSessionTokens(options: SessionTokenOptions): SessionTokens {
  const { secrets: secret, salt, maxAge, encode = tokens.encode, decode = tokens.decode } = options

  async function openFirst([token = "", ...others]: readonly string[]): Promise<JWT> {
    try {
      const claims = await decode({ token, secret, salt })
      if (claims === null) throw new JWTSessionError("The token holds no claims")
      return claims
    } catch (error) {
      if (others.length === 0) throw error
      return openFirst(others)
    }
  }

  return {
    seal: (token, atMostSeconds = maxAge) => encode({ token, secret, salt, maxAge: Math.min(maxAge, atMostSeconds) }),
    openFirst,
  }
}
