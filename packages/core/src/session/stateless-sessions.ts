import type { AdapterUser } from "../contract/adapter.js"
import type { Clock } from "../contract/clock.js"
import type { CookieOption } from "../contract/cookies.js"
import type { JWT } from "../contract/jwt.js"
import type { ResponseCookie } from "../contract/response.js"
import type { User } from "../contract/user.js"
import { JWTSessionError, SignOutError } from "../errors/flow.js"
import { toError } from "../errors/to-error.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Log } from "../log/log.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { clearChunks, readCandidates, toChunks } from "./chunks.js"
import type { SessionTokens } from "./session-tokens.js"
import type { CheckedSession, EndedSession, Sessions, SessionUpdate, SignedIn } from "./sessions.js"

export interface StatelessNeeds {
  readonly cookie: CookieOption
  readonly tokens: SessionTokens
  readonly callbacks: Pick<HostCallbacks, "jwt" | "session">
  readonly events: Events
  readonly log: Log
  readonly clock: Clock
  /** Idle lifetime in seconds. */
  readonly maxAge: number
  /** Finds a stored user by id; absent without an adapter. */
  readonly getUser: ((id: string) => Promise<AdapterUser | null>) | undefined
}

/** Sessions whose whole state is a sealed token in the browser's cookie. */
export function statelessSessions(needs: StatelessNeeds): Sessions {
  return {
    start: (signedIn, jar) => startSession(needs, signedIn, jar),
    check: (jar, update) => checkSession(needs, jar, update),
    findUser: (jar) => findUser(needs, jar),
    end: (jar) => endSession(needs, jar),
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
  return token === null ? clearChunks(jar, needs.cookie) : sealToken(needs, token, jar)
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
  jar: CookieJar,
  update?: SessionUpdate,
): Promise<CheckedSession> | CheckedSession {
  const candidates = readCandidates(jar, needs.cookie.name)
  if (candidates.length === 0) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  return checkToken(needs, jar, candidates, update).catch((error: unknown) => {
    needs.log.error(new JWTSessionError("The session token was refused", toError(error)))
    return { session: null, cookies: clearChunks(jar, needs.cookie) }
  })
}

async function checkToken(
  needs: StatelessNeeds,
  jar: CookieJar,
  candidates: readonly string[],
  update: SessionUpdate | undefined,
): Promise<CheckedSession> {
  const { callbacks, events } = needs
  const claims = await needs.tokens.openFirst(candidates)
  const token = await callbacks.jwt({ token: claims, ...(update && { session: update.newSession, trigger: "update" }) })
  if (token === null) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  const seen = { user: toUser(token), expires: expiryOf(needs).toISOString() }
  const session = await callbacks.session({ session: seen, token, ...(update && { ...update, trigger: "update" }) })
  const cookies = await sealToken(needs, token, jar)
  await events.send("session", { session, token })
  return { session, cookies }
}

function toUser({ name, email, picture }: JWT): User {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(picture !== undefined && { image: picture }),
  }
}

async function sealToken(needs: StatelessNeeds, token: JWT, jar: CookieJar): Promise<readonly ResponseCookie[]> {
  const value = await needs.tokens.seal(token)
  const { name, options } = needs.cookie
  return toChunks({ name, value, options: { ...options, expires: expiryOf(needs) } }, jar)
}

function expiryOf({ clock, maxAge }: StatelessNeeds): Date {
  return new Date(clock() + maxAge * 1000)
}

async function findUser({ cookie, tokens, getUser }: StatelessNeeds, jar: CookieJar): Promise<AdapterUser | null> {
  const candidates = readCandidates(jar, cookie.name)
  if (candidates.length === 0 || !getUser) return null
  const claims = await tokens.openFirst(candidates).catch(() => null) // An invalid token is nobody's session.
  if (!claims?.sub) return null
  return (await getUser(claims.sub)) ?? null // Some adapters answer undefined for nobody.
}

async function endSession({ cookie, tokens, log }: StatelessNeeds, jar: CookieJar): Promise<EndedSession> {
  const cookies = clearChunks(jar, cookie)
  const candidates = readCandidates(jar, cookie.name)
  if (candidates.length === 0) return { message: null, cookies }
  try {
    return { message: { token: await tokens.openFirst(candidates) }, cookies }
  } catch (error) {
    log.error(new SignOutError("The session token was refused; its cookies are cleared", toError(error)))
    return { message: null, cookies }
  }
}
