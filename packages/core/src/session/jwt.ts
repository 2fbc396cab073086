import type { User } from "@latchkey/types"
import { InvalidToken, type RememberText, TokenTooLong, tokens } from "../crypto/jwt.js"
import { toError } from "../errors/auth-error.js"
import { AdapterError, JWTSessionError, SignOutError } from "../errors/errors.js"
import { type Because, because } from "../errors/failure-reason.js"
import type { HostCallbacks } from "../host/callbacks.js"
import { type CookieJar, PlainCookie } from "../http/cookies.js"
import type { Log } from "../log/log.js"
import { andThen, attempt, rejecting } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { JwtParams } from "../types/callbacks.js"
import type { ResponseCookie } from "../types/http.js"
import type { JWT, JWTOptions, Secret } from "../types/jwt.js"
import {
  clearHostOnly,
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
  SignedIn,
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
  /** Whether `encode` returns only characters that a cookie need not encode. Default: without an `encode` of the host. */
  readonly isPlain?: boolean
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
  const { read, decrypt, keep, save, clear } = tokenCookies
  const logFailure = createFailureLog(options, deps)

  return {
    start(signedIn, { cookies }) {
      const begin = (claims: JWT | null): Awaitable<readonly ResponseCookie[]> => {
        if (claims === null) return clear(cookies)
        const beginning = signedIn.isAccountAdded
          ? findStart(read(cookies), decrypt, lifetime)
          : beginningOf(signedIn, lifetime)
        const begun = andThen(beginning, (start) => save(withStart(claims, start), lifetime.expires(start), cookies))
        return andThen(begun, (set) => [...clearHostOnly(cookies, deps.cookie), ...set])
      }
      return rejecting(() => andThen(callbacks.jwt(toJwtParams(signedIn)), begin))
    },

    check(request, update) {
      const values = read(request.cookies)
      if (values.length === 0) return { session: null, cookies: clear(request.cookies) }
      return attempt(
        () => checkToken({ values, request, update }, tokenCookies, deps),
        (error) => {
          if (error instanceof SessionTooLarge) throw error
          if (error instanceof AdapterError) return { session: null, cookies: [], isUnknown: true }
          const rejected = { session: null, cookies: clear(request.cookies) }
          return andThen(logFailure(error, values, request), () => rejected)
        },
      )
    },

    findUser(jar, find = options.getUser, remember) {
      const values = read(jar)
      if (values.length === 0 || !find) return null
      // An invalid token counts as signed out. The next check saves what the host changes.
      const open = orNull((token) => decrypt(token, remember))
      const finding = rejecting(() => findSession(values, open, (claims) => claims && keep(claims)))
      // Some adapters return undefined for an unknown user.
      return andThen(finding, (kept) => (kept?.sub ? find(kept.sub).then((user) => user || null) : null))
    },

    async end(request) {
      const values = read(request.cookies)
      const cookies = clear(request.cookies)
      if (values.length === 0) return { message: null, cookies }
      try {
        // The event names the session that ends. With several cookies, that is not one that the host ended before.
        const token = await findSession(values, decrypt, async (claims) =>
          values.length === 1 || (await keep(claims)) ? claims : null,
        )
        return { message: token && { token }, cookies }
      } catch (error) {
        log.error(new SignOutError("The session token was rejected", toError(error)), request)
        return { message: null, cookies }
      }
    },
  }
}

/** A session of another library goes on for the rest of its absolute lifetime. */
function beginningOf({ moved }: SignedIn, lifetime: Lifetime): SessionStart {
  const now = lifetime.startNow()
  return now === undefined ? undefined : Math.min(now, moved?.startedAt ?? now)
}

function toJwtParams({ user, account, profile, isNewUser, moved }: SignedIn): JwtParams {
  const told = profile && { profile }
  if (moved) {
    const { claims, id, hasMark } = moved
    const token = { ...(claims ?? toClaims(user)), ...(hasMark && { mov: id }) }
    return claims ? { token } : { token, user, account: null, ...told, trigger: "signIn" }
  }
  return {
    token: toClaims(user),
    user,
    account,
    ...told,
    ...(isNewUser !== undefined && { isNewUser }),
    trigger: isNewUser ? "signUp" : "signIn",
  }
}

const loadFault = () => import("../crypto/seal.js")

/** Logs why a session is refused, and warns, once, if its token was sealed with another secret. */
function createFailureLog({ decode, secrets }: JwtSessionOptions, { cookie, log }: SessionDeps) {
  return (error: unknown, values: readonly string[], request: SessionRequest): Awaitable<void> => {
    const isOfToken = error instanceof InvalidToken || error instanceof JWTSessionError
    // The app's own `decode` may throw anything, and use any key.
    const message = decode || isOfToken ? "The session token was rejected" : "callbacks.jwt or callbacks.session failed"
    const refuse = (why?: Because) => log.error(new JWTSessionError(message, { err: toError(error), ...why }), request)
    if (error instanceof UnwritableToken) return log.error(error, request)
    if (!isOfToken) return refuse(because("callback-threw"))
    if (decode || !(error instanceof InvalidToken)) return refuse()
    return loadFault().then(async ({ findFault }) => {
      const reason = await findFault(values, secrets, cookie.name)
      refuse(because(reason))
      if (reason === "session-other-secret") log.warnOnce("session-of-other-secret")
    })
  }
}

/**
 * When a session begins to which an account is added: it must not last longer than before. Some of its cookies may be
 * planted, so the earliest counts.
 */
async function findStart(
  values: readonly string[],
  decrypt: (token: string) => Awaitable<JWT>,
  lifetime: Lifetime,
): Promise<SessionStart> {
  const now = lifetime.startNow()
  if (now === undefined) return undefined
  const opened = await Promise.all(values.map(orNull(decrypt)))
  const starts = opened.flatMap((claims) => (claims ? (startOf(claims, lifetime) ?? []) : []))
  return Math.min(now, ...starts.filter((start) => !lifetime.isOver(start)))
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
  const { values, request } = check
  const { decrypt, keep, clear } = tokenCookies
  return andThen(
    findSession(values, decrypt, (claims) => keep(claims, check)),
    (token) =>
      token === null ? { session: null, cookies: clear(request.cookies) } : renew(token, check, tokenCookies, deps),
  )
}

/** Shows and saves the claims as the host's callback left them. */
function renew(
  token: JWT,
  { request, update }: TokenCheck,
  { save }: TokenCookies,
  { callbacks, events, lifetime, log }: SessionDeps,
): Awaitable<CheckedSession> {
  const expires = lifetime.expires(startOf(token, lifetime))
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
  return andThen(callbacks.session({ session: shown, token, ...change }, request), (session) => {
    if (session === undefined) log.warnOnce("session-callback-empty")
    return andThen(saveOrKeep(), (cookies) =>
      andThen(events.send("session", { session, token }, request), () => ({ session, cookies })),
    )
  })
}

/**
 * Finds the session among the values of its cookie. Browsers may send several cookies of one name, such as one from a
 * parent domain. The session is the first value that decrypts and that the `jwt` callback keeps.
 * @param ask Returns the result for the claims. Null if this is not the session.
 * @param n Index of the first value to try.
 * @returns null if none is the session
 * @throws the error of the last value if it does not decrypt
 */
function findSession<Claims, T>(
  values: readonly string[],
  decrypt: (token: string) => Awaitable<Claims>,
  ask: (claims: Claims) => Awaitable<T | null>,
  n = 0,
): Awaitable<T | null> {
  const token = values[n] ?? ""
  // The usual case: one cookie of the name.
  if (n + 1 >= values.length) return andThen(decrypt(token), ask)
  const next = () => findSession(values, decrypt, ask, n + 1)
  return andThen(orNull(decrypt)(token), (opened) =>
    opened === null ? next() : andThen(ask(opened), (asked) => asked ?? next()),
  )
}

/** Returns null for a token that does not decrypt. */
function orNull<Claims>(decrypt: (token: string) => Awaitable<Claims>): (token: string) => Awaitable<Claims | null> {
  return (token) =>
    attempt<Claims | null>(
      () => decrypt(token),
      () => null,
    )
}

interface TokenCookies {
  read(jar: CookieJar): readonly string[]
  /** @throws JWTSessionError, or what the host's own function throws, if it is not a valid token */
  decrypt(token: string, remember?: RememberText): Awaitable<JWT>
  /** Lets the host's `jwt` callback see the claims, and change them. Null if it ends the session, or the session is over. */
  keep(claims: JWT, check?: Pick<TokenCheck, "request" | "update">): Awaitable<JWT | null>
  /**
   * Encrypts the claims and returns the cookies to set, without an inline picture that does not fit.
   * @throws SessionTooLarge
   */
  save(claims: JWT, expires: Date, jar: CookieJar): Awaitable<readonly ResponseCookie[]>
  /** The cookies that delete a session. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

/** Session tokens in cookies, encrypted and decrypted by the host's own functions if it has any. */
function createTokenCookies(
  options: JwtSessionOptions,
  { cookie, maxChunks, callbacks, lifetime, log }: SessionDeps,
): TokenCookies {
  const { secrets, secret: given = secrets, maxAge, encode = tokens.encode, decode } = options
  const { isPlain = !options.encode } = options
  const salt = cookie.name
  const warningLength = 0.8 * maxLengthOf(maxChunks)
  // Code such as `jwt.sign(token, secret)` needs the string that the host configured.
  const encodeSecret = options.encode ? given : secrets

  function keep(claims: JWT, check?: Pick<TokenCheck, "request" | "update">): Awaitable<JWT | null> {
    const start = startOf(claims, lifetime)
    if (lifetime.isOver(start)) return null
    const change = check?.update && ({ session: check.update.newSession, trigger: "update" } as const)
    const asked = callbacks.jwt({ token: claims, ...change }, check?.request)
    return andThen(asked, (kept) => kept && withStart(kept, start))
  }

  function seal(claims: JWT, seconds: number): Awaitable<string> {
    return attempt(
      () => encode({ token: claims, secret: encodeSecret, salt, maxAge: seconds }),
      (error) => {
        if (error instanceof TokenTooLong) throw new SessionTooLarge({ err: error, ...because("session-too-large") })
        throw error instanceof TypeError && !options.encode ? toUnwritable(claims, error) : error
      },
    )
  }

  function save(claims: JWT, expires: Date, jar: CookieJar): Awaitable<readonly ResponseCookie[]> {
    const secondsLeft = lifetime.isCapped ? Math.ceil((expires.valueOf() - lifetime.clock()) / 1000) : maxAge
    return andThen(seal(claims, Math.min(maxAge, secondsLeft)), (value) => {
      const saved = { name: cookie.name, value, options: { ...cookie.options, expires } }
      // Only a function of the host may return characters that a cookie has to encode.
      const written = writeSessionCookies(isPlain ? new PlainCookie(saved) : saved, jar, maxChunks)
      // After an error for one that does not fit, the warning would be wrong.
      if (value.length > warningLength) log.warnOnce("large-session")
      return written
    })
  }

  return {
    read: (jar) => readSessionCookies(jar, cookie.name),
    decrypt: (token, remember) =>
      andThen(
        decode ? decode({ token, secret: given, salt }) : tokens.decode({ token, secret: secrets, salt, remember }),
        assertClaims,
      ),
    keep,
    save: leavingOutPictures(save, log),
    clear: (jar) => clearSessionCookies(jar, cookie),
  }
}

/** Leaves out a picture in the token, which some providers send in place of its URL, if the session fits without it. */
function leavingOutPictures(save: TokenCookies["save"], log: Log): TokenCookies["save"] {
  return (claims, expires, jar) => {
    if (!isInlinePicture(claims.picture)) return save(claims, expires, jar)
    return attempt(
      () => save(claims, expires, jar),
      (error) => {
        if (!(error instanceof SessionTooLarge)) throw error
        log.warnOnce("picture-left-out")
        const { picture: _, ...others } = claims
        return save(others, expires, jar)
      },
    )
  }
}

/** The claims are not JSON. */
class UnwritableToken extends JWTSessionError {}

/** Names the claim that the app's callback returned. */
function toUnwritable(claims: JWT, cause: TypeError): UnwritableToken {
  const name = Object.keys(claims).find((key) => {
    try {
      return JSON.stringify(claims[key]) === ""
    } catch {
      return true
    }
  })
  const fault = typeof claims[name ?? ""] === "bigint" ? "is a BigInt. Write String(value)" : "has a BigInt or a cycle"
  return new UnwritableToken(`callbacks.jwt: the claim ${name} cannot be written as JSON: it ${fault}`, cause)
}

/** Whether a picture is not a URL to load it from, but the image itself (RFC 2397). */
function isInlinePicture(picture: unknown): boolean {
  return typeof picture === "string" && /^\s*data:/i.test(picture)
}

function assertClaims(claims: JWT | null): JWT {
  if (claims === null) throw new JWTSessionError("The token holds no claims")
  return claims
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
  const user: User = {}
  if (name !== undefined) user.name = name
  if (email !== undefined) user.email = email
  if (picture !== undefined) user.image = picture
  return user
}

/** The claims with the session's start, whether or not the host's callback kept it. */
function withStart(claims: JWT, start: SessionStart): JWT {
  return start === undefined ? claims : { ...claims, auth_time: start }
}

/**
 * The app's `jwt` callback for a service that does not track its sessions. It may renew the token of one that does, such as
 * in a middleware.
 */
export function keepFacts(jwt: HostCallbacks["jwt"]): HostCallbacks["jwt"] {
  return (params, request) =>
    params.token["chk"] === undefined
      ? jwt(params, request)
      : loadKeeping().then(({ renewTracked }) => renewTracked(jwt, params, request))
}

const loadKeeping = () => import("./kept-facts.js")

/** When the session began. One from before the host set an absolute lifetime counts from now. */
function startOf(claims: JWT, lifetime: Lifetime): SessionStart {
  if (!lifetime.isCapped) return undefined
  const start = claims["auth_time"]
  return typeof start === "number" && Number.isFinite(start) ? start : lifetime.startNow()
}
