import { maxTokenLength } from "../crypto/jwe.js"
import { tokens } from "../crypto/jwt.js"
import { assertSecret } from "../crypto/keys.js"
import { resolveCookies } from "../http/cookie-options.js"
import { type CookieJar, readCookies, toCookieJar } from "../http/cookies.js"
import type { JWT, JWTOptions, Secret } from "../types/jwt.js"
import type { LoggerInstance } from "../types/logger.js"
import { readCandidates } from "./cookies.js"

type PlainHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request of the Web or of a framework. `cookies`, as parsed by a framework, counts when there is no such header. */
type TokenRequest = Request | { readonly headers: Headers | PlainHeaders; readonly cookies?: unknown }

/** Where a session token is read from, and how. */
export interface GetTokenParams<Raw extends boolean = boolean> {
  readonly req: TokenRequest
  /** Needed unless `raw` is true. */
  readonly secret?: Secret | undefined
  /** Default: the cookie's name. */
  readonly salt?: string | undefined
  /** Default: the session cookie's name, see `secureCookie`. */
  readonly cookieName?: string | undefined
  /** Chooses the default name that cookies have on https. Default: false. */
  readonly secureCookie?: boolean | undefined
  /** Gives the text of the token, **unverified**: anyone may have made it up. Default: false. */
  readonly raw?: Raw
  /** Replaces the service's own `decode`. What it throws counts as an invalid token. */
  readonly decode?: JWTOptions["decode"] | undefined
  readonly logger?: Partial<LoggerInstance> | undefined
}

const defaultNames = {
  secure: resolveCookies(undefined, { isSecure: true }).sessionToken.name,
  plain: resolveCookies(undefined, { isSecure: false }).sessionToken.name,
}

/**
 * Reads the session token of a request: from the session cookie, else from `Authorization: Bearer`. Null when there is
 * none or it is invalid. With `raw` the text as it came: **not verified**, no proof of who sent it.
 * @typeParam Payload What the host's `jwt` callback puts into its tokens, where that is not said by augmentation.
 * @throws MissingSecret when there is a token to decode and no secret; TypeError without a request.
 */
export function getToken(params: GetTokenParams<true> & { readonly raw: true }): Promise<string | null>
export function getToken<Payload extends JWT = JWT>(params: GetTokenParams<false>): Promise<Payload | null>
export function getToken(params: GetTokenParams): Promise<JWT | string | null>
export async function getToken(params: GetTokenParams): Promise<JWT | string | null> {
  if (!params.req) throw new TypeError("getToken: `req` is missing")
  const name = params.cookieName ?? (params.secureCookie ? defaultNames.secure : defaultNames.plain)
  const candidates = readTokens(params.req, name)
  const [first] = candidates
  if (first === undefined) return null
  return params.raw ? first : decodeFirst(candidates, params.salt ?? name, params)
}

/** The first of the candidates that decodes. */
async function decodeFirst(candidates: readonly string[], salt: string, params: GetTokenParams): Promise<JWT | null> {
  const { secret, decode = tokens.decode, logger } = params
  assertSecret(secret)
  for (const token of candidates) {
    try {
      const claims = await decode({ token, secret, salt })
      if (claims) return claims
    } catch {
      // Whatever the reason: the request bears no token that counts. The error may quote the token, so it is not kept.
      logger?.debug?.("getToken: a token was refused")
    }
  }
  return null
}

function readTokens(req: TokenRequest, cookieName: string): readonly string[] {
  const candidates = readCandidates(readJar(req), cookieName)
  if (candidates.length > 0) return candidates
  const bearer = readBearer(readHeader(req.headers, "authorization"))
  return bearer === null ? [] : [bearer]
}

function readJar(req: TokenRequest): CookieJar {
  const header = readHeader(req.headers, "cookie")
  const parsed = "cookies" in req ? req.cookies : undefined
  return header === null && typeof parsed === "object" && parsed !== null
    ? toCookieJar({ ...parsed })
    : readCookies(header)
}

/** RFC 6750 section 2.1. The scheme's case does not matter, RFC 9110 section 11.1. */
function readBearer(authorization: string | null): string | null {
  if (authorization === null || authorization.length > maxTokenLength) return null
  const [scheme = "", encoded, surplus] = authorization.split(" ", 3)
  if (scheme.toLowerCase() !== "bearer" || !encoded || surplus !== undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Bad percent-encoding: no token that anybody issued.
    return null
  }
}

function readHeader(headers: Headers | PlainHeaders, name: "authorization" | "cookie"): string | null {
  if (isHeaders(headers)) return headers.get(name)
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  // Several Cookie headers are one list, RFC 9113 section 8.2.3; of Authorization there is only one.
  return typeof value === "object" ? value.join("; ") : (value ?? null)
}

/** Told by what it can do: frameworks bring classes of their own. */
function isHeaders(headers: Headers | PlainHeaders): headers is Headers {
  return typeof headers.get === "function"
}
