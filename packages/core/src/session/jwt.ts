import type { User } from "@latchkey/types"
import { TokenTooLong, tokens } from "../crypto/jwt.js"
import { toError } from "../errors/auth-error.js"
import { JWTSessionError, SignOutError } from "../errors/errors.js"
import { type CookieJar, PlainCookie } from "../http/cookies.js"
import { andThen, attempt } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
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

  /** The first session that the host keeps: a neighboring site can plant one of its own that the host ended. */
  async function findKept(values: readonly string[]): Promise<{ readonly claims: JWT; readonly kept: JWT } | null> {
    if (values.length === 0) return null
    // An invalid token is no session.
    const opened = await attempt<OpenedToken | null>(
      () => open(values),
      () => null,
    )
    if (opened === null) return null
    const { claims, others } = opened
    // The host revokes sessions by returning null. What else it changes is saved by the next check.
    const kept = lifetime.isOver(startOf(claims, lifetime)) ? null : await callbacks.jwt({ token: claims })
    return kept === null ? findKept(others) : { claims, kept }
  }

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
      return attempt(
        () => checkToken({ values, request, update }, tokenCookies, deps),
        (error) => {
          if (error instanceof SessionTooLarge) throw error
          log.error(new JWTSessionError("The session token was rejected", toError(error)), request)
          return { session: null, cookies: clear(request.cookies) }
        },
      )
    },

    async findUser(jar) {
      const values = read(jar)
      if (values.length === 0 || !options.getUser) return null
      const id = (await findKept(values))?.kept.sub
      if (!id) return null
      return (await options.getUser(id)) ?? null // Some adapters return undefined for an unknown user.
    },

    async end(request) {
      const values = read(request.cookies)
      const cookies = clear(request.cookies)
      if (values.length === 0) return { message: null, cookies }
      try {
        const { claims, others } = await open(values)
        // The host ends the session that it is told of. Of several, that is not one that it ended before.
        const current = others.length === 0 ? null : await findKept(values).catch(() => null)
        return { message: { token: current?.claims ?? claims }, cookies }
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

/**
 * Lets the callbacks see the claims, and saves the token anew with its next expiry. Synchronous, unless the platform's
 * cryptography or the app's code is not: the promises of a check would cost as much as its decryption.
 */
function checkToken(check: TokenCheck, tokenCookies: TokenCookies, deps: SessionDeps): Awaitable<CheckedSession> {
  const { values, request, update } = check
  const { callbacks, lifetime } = deps
  return andThen(tokenCookies.open(values), ({ claims, others }) => {
    // See `findKept`.
    const end = (): Awaitable<CheckedSession> =>
      others.length > 0
        ? checkToken({ ...check, values: others }, tokenCookies, deps)
        : { session: null, cookies: tokenCookies.clear(request.cookies) }
    const start = startOf(claims, lifetime)
    if (lifetime.isOver(start)) return end()
    const change = update && ({ session: update.newSession, trigger: "update" } as const)
    return andThen(callbacks.jwt({ token: claims, ...change }, request), (kept) =>
      kept === null ? end() : renew({ token: withStart(kept, start), start, check }, tokenCookies, deps),
    )
  })
}

interface Renewal {
  /** The claims as the host's callback left them. */
  readonly token: JWT
  readonly start: SessionStart
  readonly check: TokenCheck
}

function renew(
  { token, start, check: { request, update } }: Renewal,
  { save }: TokenCookies,
  { callbacks, events, lifetime, log }: SessionDeps,
): Awaitable<CheckedSession> {
  const expires = lifetime.expires(start)
  const shown = { user: toUser(token), expires: expires.toISOString() }
  const change = update && ({ ...update, trigger: "update" } as const)
  const saveOrKeep = () =>
    attempt(
      () => save(token, expires, request.cookies),
      (error) => {
        if (update || !(error instanceof SessionTooLarge)) throw error
        // The browser was able to send it, so the session stays as it is, and is not extended.
        log.error(error, request)
        return []
      },
    )
  return andThen(callbacks.session({ session: shown, token, ...change }), (session) => {
    if (session === undefined) log.warnOnce("session-callback-empty")
    return andThen(saveOrKeep(), (cookies) =>
      andThen(events.send("session", { session, token }, request), () => ({ session, cookies })),
    )
  })
}

interface OpenedToken {
  readonly claims: JWT
  /** The values behind it. */
  readonly others: readonly string[]
}

/** No array for the usual case of one value. */
const none: readonly string[] = []

interface TokenCookies {
  read(jar: CookieJar): readonly string[]
  /**
   * Decrypts a session cookie. Browsers may send several of one name, e.g. one from a parent domain: the first that
   * decrypts counts.
   * @throws what the last one failed with
   */
  open(values: readonly string[]): Awaitable<OpenedToken>
  /**
   * Encrypts the claims and returns the cookies to set.
   * @throws SessionTooLarge
   */
  save(claims: JWT, expires: Date, jar: CookieJar): Awaitable<readonly ResponseCookie[]>
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

  function open(values: readonly string[]): Awaitable<OpenedToken> {
    const [token = ""] = values
    const others = values.length > 1 ? values.slice(1) : none
    const toOpened = (claims: JWT | null): OpenedToken => {
      if (claims === null) throw new JWTSessionError("The token holds no claims")
      return { claims, others }
    }
    return attempt(
      () => andThen(decode({ token, secret: decodeSecret, salt }), toOpened),
      (error) => {
        if (others.length === 0) throw error
        return open(others)
      },
    )
  }

  function seal(claims: JWT, seconds: number): Awaitable<string> {
    return attempt(
      () => encode({ token: claims, secret: encodeSecret, salt, maxAge: seconds }),
      (error) => {
        throw error instanceof TokenTooLong ? new SessionTooLarge(error) : error
      },
    )
  }

  function save(claims: JWT, expires: Date, jar: CookieJar): Awaitable<readonly ResponseCookie[]> {
    const secondsLeft = lifetime.isCapped ? Math.ceil((expires.valueOf() - lifetime.clock()) / 1000) : maxAge
    return andThen(seal(claims, Math.min(maxAge, secondsLeft)), (value) => {
      if (value.length > warningLength) log.warnOnce("large-session")
      const saved = { name: cookie.name, value, options: { ...cookie.options, expires } }
      // Only a function of the host may return characters that a cookie has to encode.
      return writeSessionCookies(options.encode ? saved : new PlainCookie(saved), jar, maxChunks)
    })
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
