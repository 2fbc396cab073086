import type { AdapterUser } from "../contract/adapter.js"
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
import { claimStart, expiryOf, findClaimedStart, isOver, type Lifetime, startNow } from "./absolute-cap.js"
import { clearChunks, readCandidates, toChunks } from "./chunks.js"
import type { SessionTokens } from "./session-tokens.js"
import type { CheckedSession, EndedSession, Sessions, SessionUpdate, SessionVisit, SignedIn } from "./sessions.js"

export interface StatelessNeeds extends Lifetime {
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
    check: (visit, update) => checkSession(needs, visit, update),
    findUser: (jar) => findUser(needs, jar),
    end: (visit) => endSession(needs, visit),
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
  visit: SessionVisit,
  update?: SessionUpdate,
): Promise<CheckedSession> | CheckedSession {
  const jar = visit.cookies
  const candidates = readCandidates(jar, needs.cookie.name, needs.maxChunks)
  if (candidates.length === 0) return { session: null, cookies: clearChunks(jar, needs.cookie) }
  return checkToken(needs, visit, candidates, update).catch((error: unknown) => {
    needs.log.error(new JWTSessionError("The session token was refused", toError(error)), visit)
    return { session: null, cookies: clearChunks(jar, needs.cookie) }
  })
}

async function checkToken(
  needs: StatelessNeeds,
  visit: SessionVisit,
  candidates: readonly string[],
  update: SessionUpdate | undefined,
): Promise<CheckedSession> {
  const { callbacks, events } = needs
  const jar = visit.cookies
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
  await events.send("session", { session, token }, visit)
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
  visit: SessionVisit,
): Promise<EndedSession> {
  const jar = visit.cookies
  const cookies = clearChunks(jar, cookie)
  const candidates = readCandidates(jar, cookie.name, maxChunks)
  if (candidates.length === 0) return { message: null, cookies }
  try {
    return { message: { token: await tokens.openFirst(candidates) }, cookies }
  } catch (error) {
    log.error(new SignOutError("The session token was refused; its cookies are cleared", toError(error)), visit)
    return { message: null, cookies }
  }
}
