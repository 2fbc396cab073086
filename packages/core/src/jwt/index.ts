// Imported as `@latchkey/core/jwt`. `export *`, so that hosts can extend `JWT` by module augmentation.

import { decode as decodeClaims, maxTokenLength } from "../crypto/jwt.js"
import { assertSecret } from "../crypto/keys.js"
import type { SourcePart } from "../features/feature.js"
import { findAppToken } from "../http/app-token.js"
import { type CookieJar, readCookies, toCookieJar } from "../http/cookies.js"
import { resolveCookies } from "../http/own-cookies.js"
import { readSessionCookies } from "../session/cookies.js"
import { expandFacts } from "../session/short-facts.js"
import type { Optional } from "../types/basics.js"
import type { AcceptedSource } from "../types/config.js"
import type { JWT, JWTDecodeParams, JWTOptions, Secret } from "../types/jwt.js"
import type { LoggerInstance } from "../types/logger.js"

export { encode } from "../crypto/jwt.js"
export * from "../types/jwt.js"

/**
 * Decodes a session token with the secret that its key id names (the first one without a key id). Null without a token.
 * @throws InvalidToken if it is malformed, expired or encrypted differently, always with the same message.
 */
export async function decode<Payload = JWT>(params: JWTDecodeParams): Promise<Payload | null> {
  const claims = await decodeClaims(params)
  // Authentic; the caller declares what its tokens contain.
  return claims && (expandFacts(claims, params.token ?? "") as Payload)
}

type PlainHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A Web or framework request. Without a `Cookie` header, `cookies` is read: the cookies as the framework parsed them. */
type TokenRequest = Request | { readonly headers: Headers | PlainHeaders; readonly cookies?: unknown }

/** Which request the session token is read from, and how. */
export interface GetTokenParams<Raw extends boolean = boolean> {
  readonly req: TokenRequest
  /** Required unless `raw` is true. */
  readonly secret?: Secret | undefined
  /** Default: the cookie's name. */
  readonly salt?: string | undefined
  /** Default: the session cookie's name, see `secureCookie`. */
  readonly cookieName?: string | undefined
  /** Reads the default cookie name of https, `__Secure-authjs.session-token`. Default: false. */
  readonly secureCookie?: boolean | undefined
  /** Returns the token as text, **unverified**: it may be forged. Default: false. */
  readonly raw?: Raw | undefined
  /** Replaces the default `decode`. If it throws, the token counts as invalid. */
  readonly decode?: JWTOptions["decode"] | undefined
  readonly logger?: Optional<LoggerInstance> | undefined
  /**
   * The readers of `session.accept`, for requests that come before the first one to the service. Without a session of ours, the
   * claims are those of the other library's. Whether a copy of it was taken over before is not known here. Default: none.
   */
  readonly accept?: readonly AcceptedSource[] | undefined
}

const defaultNames = {
  secure: resolveCookies(undefined, { isSecure: true }).sessionToken.name,
  plain: resolveCookies(undefined, { isSecure: false }).sessionToken.name,
}

/**
 * Reads the session token of a request: from the session cookie, else from `Authorization: Bearer`. Null when it is
 * absent or invalid, and for a request with the token of a native app. With `raw` the text as it was sent: **not
 * verified**, and no proof of who sent it.
 * @typeParam Payload The claims that your `jwt` callback sets, unless you declare them by module augmentation.
 * @throws MissingSecret when there is a token to decode but no secret; TypeError without a request.
 */
export function getToken(params: GetTokenParams<true> & { readonly raw: true }): Promise<string | null>
export function getToken<Payload extends JWT = JWT>(params: GetTokenParams<false>): Promise<Payload | null>
export function getToken(params: GetTokenParams): Promise<JWT | string | null>
export async function getToken(params: GetTokenParams): Promise<JWT | string | null> {
  if (!params.req) throw new TypeError("getToken: `req` is missing")
  const name = params.cookieName ?? (params.secureCookie ? defaultNames.secure : defaultNames.plain)
  const candidates = readTokens(params.req, name)
  const [first] = candidates
  if (params.raw) return first ?? null
  const own = first === undefined ? null : await decodeFirst(candidates, params.salt ?? name, params)
  return own ?? findAccepted(params)
}

/** The claims of the first session of another library. */
async function findAccepted({ req, accept = [] }: GetTokenParams): Promise<JWT | null> {
  if (accept.length === 0 || findAppToken(readHeader(req.headers, "authorization")) !== null) return null
  const jar = readJar(req)
  for (const source of accept) {
    const claims = await (source as AcceptedSource & SourcePart).findClaims(jar) // as: `createSource` makes them.
    if (claims) return claims
  }
  return null
}

/** The first of the candidates that decodes. */
async function decodeFirst(candidates: readonly string[], salt: string, params: GetTokenParams): Promise<JWT | null> {
  const { secret, decode: decodeOne = decode, logger } = params
  assertSecret(secret)
  for (const token of candidates) {
    try {
      const claims = await decodeOne({ token, secret, salt })
      if (claims) return claims
    } catch {
      // The error may quote the token, so that it is not logged.
      logger?.debug?.("getToken: a token was rejected")
    }
  }
  return null
}

function readTokens(req: TokenRequest, cookieName: string): readonly string[] {
  const authorization = readHeader(req.headers, "authorization")
  // The request is signed in by the token of a native app, and no cookie may stand in for it.
  if (findAppToken(authorization) !== null) return []
  const candidates = readSessionCookies(readJar(req), cookieName)
  if (candidates.length > 0) return candidates
  const bearer = readBearer(authorization)
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
    return null // Bad percent-encoding.
  }
}

function readHeader(headers: Headers | PlainHeaders, name: "authorization" | "cookie"): string | null {
  if (isHeaders(headers)) return headers.get(name)
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  // Several Cookie headers form one list (RFC 9113 section 8.2.3). There is only one Authorization header.
  return typeof value === "object" ? value.join("; ") : (value ?? null)
}

/** Checked by its method: some frameworks have their own `Headers` class. */
function isHeaders(headers: Headers | PlainHeaders): headers is Headers {
  return typeof headers.get === "function"
}
