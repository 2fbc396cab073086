import type { User } from "@latchkey/types"
import { TokenTooLong, tokens } from "../crypto/jwt.js"
import { toError } from "../errors/auth-error.js"
import { JWTSessionError, SignOutError } from "../errors/errors.js"
import type { CookieJar } from "../http/cookies.js"
import type { AdapterUser } from "../types/adapter.js"
import type { ResponseCookie } from "../types/http.js"
import type { JWT, JWTOptions, Secret } from "../types/jwt.js"
import {
  clearSessionCookies,
  maxLengthOf,
  readSessionCookies,
  SessionTooLarge,
  writeSessionCookies,
} from "./cookies.js"
import type {
  CheckedSession,
  Lifetime,
  SessionDeps,
  SessionRequest,
  SessionStart,
  Sessions,
  SessionUpdate,
} from "./session.js"

export interface JwtSessionOptions {
  /** The newest first: it encrypts, all of them decrypt. */
  readonly secrets: readonly string[]
  /** As the host configured it, for its own `encode` and `decode`. Default: the list. */
  readonly secret?: Secret | undefined
  /** Lifetime of a token in seconds. */
  readonly maxAge: number
  /** The host's own function. Default: an encrypted JWT. */
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
  /** Finds a stored user by id; undefined without an adapter. */
  readonly getUser: ((id: string) => Promise<AdapterUser | null>) | undefined
}

/**
 * Stateless sessions: the whole state is an encrypted token in the session cookie. The host's `jwt` callback sees the
 * claims at each check, and may change them or end the session (return null).
 */
export function jwtSessions(options: JwtSessionOptions, deps: SessionDeps): Sessions {
  const { callbacks, log, lifetime } = deps
  const tokenCookies = createTokenCookies(options, deps)
  const { read, open, save, clear } = tokenCookies

  return {
    async start({ user, account, profile, isNewUser }, request) {
      const claims = await callbacks.jwt({
        token: toClaims(user),
        user,
        account,
        ...(profile && { profile }),
        ...(isNewUser !== undefined && { isNewUser }),
        trigger: isNewUser ? "signUp" : "signIn",
      })
      if (claims === null) return clear(request.cookies)
      const start = lifetime.startNow()
      return save(withStart(claims, start), lifetime.expires(start), request.cookies)
    },

    check(request, update) {
      const values = read(request.cookies)
      if (values.length === 0) return { session: null, cookies: clear(request.cookies) }
      return checkToken({ values, request, update }, tokenCookies, deps).catch((error: unknown) => {
        if (error instanceof SessionTooLarge) throw error
        log.error(new JWTSessionError("The session token was rejected", toError(error)), request)
        return { session: null, cookies: clear(request.cookies) }
      })
    },

    async findUser(jar) {
      const values = read(jar)
      if (values.length === 0 || !options.getUser) return null
      const claims = await open(values).catch(() => null) // An invalid token is no session.
      if (claims === null || lifetime.isOver(startOf(claims, lifetime))) return null
      // The host revokes sessions by returning null. What else it changes is saved by the next check.
      const kept = await callbacks.jwt({ token: claims })
      if (!kept?.sub) return null
      return (await options.getUser(kept.sub)) ?? null // Some adapters return undefined for an unknown user.
    },

    async end(request) {
      const values = read(request.cookies)
      const cookies = clear(request.cookies)
      if (values.length === 0) return { message: null, cookies }
      try {
        return { message: { token: await open(values) }, cookies }
      } catch (error) {
        log.error(new SignOutError("The session token was rejected; its cookies are cleared", toError(error)), request)
        return { message: null, cookies }
      }
    },
  }
}

interface TokenCheck {
  /** The values of the session cookies. */
  readonly values: readonly string[]
  readonly request: SessionRequest
  readonly update: SessionUpdate | undefined
}

/** Lets the callbacks see the claims, and saves the token anew with its next expiry. */
async function checkToken(
  { values, request, update }: TokenCheck,
  { open, save, clear }: TokenCookies,
  { callbacks, events, lifetime, log }: SessionDeps,
): Promise<CheckedSession> {
  const claims = await open(values)
  const start = startOf(claims, lifetime)
  if (lifetime.isOver(start)) return { session: null, cookies: clear(request.cookies) }
  const params = { token: claims, ...(update && { session: update.newSession, trigger: "update" as const }) }
  const kept = await callbacks.jwt(params, request)
  if (kept === null) return { session: null, cookies: clear(request.cookies) }
  const token = withStart(kept, start)
  const expires = lifetime.expires(start)
  const session = await callbacks.session({
    session: { user: toUser(token), expires: expires.toISOString() },
    token,
    ...(update && { ...update, trigger: "update" }),
  })
  if (session === undefined) log.warnOnce("session-callback-empty")
  const cookies = await save(token, expires, request.cookies).catch((error: unknown) => {
    if (update || !(error instanceof SessionTooLarge)) throw error
    // The browser was able to send it, so the session stays as it is, and is not extended.
    log.error(error, request)
    return []
  })
  await events.send("session", { session, token }, request)
  return { session, cookies }
}

interface TokenCookies {
  read(jar: CookieJar): readonly string[]
  /**
   * Decrypts a session cookie. Browsers may send several of one name, e.g. one from a parent domain: the first that
   * decrypts counts.
   * @throws what the last one failed with
   */
  open(values: readonly string[]): Promise<JWT>
  /**
   * Encrypts the claims and returns the cookies to set.
   * @throws SessionTooLarge
   */
  save(claims: JWT, expires: Date, jar: CookieJar): Promise<readonly ResponseCookie[]>
  /** The cookies that delete a session. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** Session tokens in cookies, encrypted and decrypted by the host's own functions if it has any. */
function createTokenCookies(
  options: JwtSessionOptions,
  { cookie, maxChunks, lifetime, log }: SessionDeps,
): TokenCookies {
  const { secrets, secret: given = secrets, maxAge, encode = tokens.encode, decode = tokens.decode } = options
  const salt = cookie.name
  const warningLength = 0.8 * maxLengthOf(maxChunks)
  // Code such as `jwt.sign(token, secret)` needs the string that the host configured.
  const encodeSecret = options.encode ? given : secrets
  const decodeSecret = options.decode ? given : secrets

  async function open([token = "", ...others]: readonly string[]): Promise<JWT> {
    try {
      const claims = await decode({ token, secret: decodeSecret, salt })
      if (claims === null) throw new JWTSessionError("The token holds no claims")
      return claims
    } catch (error) {
      if (others.length === 0) throw error
      return open(others)
    }
  }

  async function seal(claims: JWT, seconds: number): Promise<string> {
    try {
      return await encode({ token: claims, secret: encodeSecret, salt, maxAge: seconds })
    } catch (error) {
      throw error instanceof TokenTooLong ? new SessionTooLarge(error) : error
    }
  }

  async function save(claims: JWT, expires: Date, jar: CookieJar): Promise<readonly ResponseCookie[]> {
    const secondsLeft = lifetime.isCapped ? Math.ceil((expires.valueOf() - lifetime.clock()) / 1000) : maxAge
    const value = await seal(claims, Math.min(maxAge, secondsLeft))
    if (value.length > warningLength) log.warnOnce("large-session")
    return writeSessionCookies({ name: cookie.name, value, options: { ...cookie.options, expires } }, jar, maxChunks)
  }

  return {
    read: (jar) => readSessionCookies(jar, cookie.name),
    open,
    save,
    clear: (jar) => clearSessionCookies(jar, cookie),
  }
}

function toClaims({ id, name, email, image }: User): JWT {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(image !== undefined && { picture: image }),
    ...(id !== undefined && { sub: String(id) }),
  }
}

function toUser({ name, email, picture }: JWT): User {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(picture !== undefined && { image: picture }),
  }
}

/** The claims with the session's start, whether or not the host's callback kept it. */
function withStart(claims: JWT, start: SessionStart): JWT {
  return start === undefined ? claims : { ...claims, auth_time: start }
}

/** When the session began. One from before the host set an absolute lifetime counts from now. */
function startOf(claims: JWT, lifetime: Lifetime): SessionStart {
  if (!lifetime.isCapped) return undefined
  const start = claims["auth_time"]
  return typeof start === "number" && Number.isFinite(start) ? start : lifetime.startNow()
}
