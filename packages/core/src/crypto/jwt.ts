import { primitives } from "#crypto"
import { andThen } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { JWT, JWTDecodeParams, JWTEncodeParams } from "../types/jwt.js"
import type { Primitives } from "./backend.js"
import { createJwe, maxTokenLength } from "./jwe.js"
import { toSecrets } from "./keys.js"

const defaultMaxAgeSeconds = 30 * 24 * 60 * 60

interface EncodeContext {
  /** Default: the system's. */
  readonly clock?: Clock
  /** Identifies the token. Default: a new random UUID. */
  readonly jti?: string
}

/** Encrypted tokens with claims and an expiry. Synchronous where the platform's cryptography is. */
interface Tokens {
  encode<Payload = JWT>(params: JWTEncodeParams<Payload>, context?: EncodeContext): Awaitable<string>
  /** Null without a token. Fails with `InvalidToken`. */
  decode(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
  /** As `decode`, with null for an invalid token as well. */
  open(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
}

/** @internal Exported so that tests run over every platform's primitives. */
export function createTokens(platform: Primitives): Tokens {
  const jwe = createJwe(platform)

  function encode<Payload>(params: JWTEncodeParams<Payload>, context: EncodeContext = {}): Awaitable<string> {
    const { token, secret, salt, maxAge = defaultMaxAgeSeconds } = params
    const { clock = Date.now, jti = platform.randomUUID() } = context
    const iat = toSeconds(clock)
    const exp = iat + maxAge
    if (!Number.isFinite(exp)) throw new RangeError("The lifetime of a token must be a finite number of seconds.")
    return andThen(
      jwe.encrypt(JSON.stringify({ ...token, iat, exp, jti }), { secrets: toSecrets(secret), salt }),
      refuseTooLong,
    )
  }

  function open({ token, secret, salt }: JWTDecodeParams, clock: Clock = Date.now): Awaitable<JWT | null> {
    const secrets = toSecrets(secret)
    if (typeof token !== "string") return null
    return andThen(jwe.decrypt(token, { secrets, salt }), (text) => {
      const claims = text === null ? null : parseClaims(text)
      // The claims are those of `encode`, as just proved; what a host declares them to hold is its own to keep.
      return claims && isCurrent(claims, toSeconds(clock)) ? (claims as JWT) : null
    })
  }

  function decode(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null> {
    if (!params.token) return null
    return andThen(open(params, clock), (claims) => {
      if (claims === null) throw new InvalidToken()
      return claims
    })
  }

  return { encode, decode, open }
}

function toSeconds(clock: Clock): number {
  return Math.floor(clock() / 1000)
}

function refuseTooLong(token: string): string {
  if (token.length > maxTokenLength) throw new RangeError(`A token may have ${maxTokenLength} characters at most.`)
  return token
}

/** The tokens of this platform. */
export const tokens: Tokens = createTokens(primitives)

/**
 * Makes a session token: compact JWE with `dir` and `A256CBC-HS512`, key derived from the first secret and the salt.
 * `iat`, `exp` and `jti` are always set anew.
 * @throws MissingSecret, InvalidConfiguration; RangeError when the token would be too long to be read.
 */
export async function encode<Payload = JWT>(params: JWTEncodeParams<Payload>): Promise<string> {
  return tokens.encode(params)
}

/**
 * Reads a session token with the secret that its key id names (the first one when it names none). Null without a token.
 * @throws InvalidToken when it is malformed, expired or encrypted otherwise, always with the same words.
 */
export async function decode<Payload = JWT>(params: JWTDecodeParams): Promise<Payload | null> {
  // The caller says what its tokens hold; that they are its own was just proved.
  return tokens.decode(params) as Awaitable<Payload | null>
}

/** The claims of a token that was decrypted. Authentic, yet not checked beyond being a JSON object. */
type Claims = Readonly<Record<string, unknown>>

/** Clocks of different machines may differ by so many seconds. */
const toleranceSeconds = 15
/** Far below what would exhaust the stack of code that walks the claims, such as `JSON.stringify`. */
const maxDepth = 500

/** Null unless the text is a JSON object of bounded depth. A member named `__proto__` is dropped wherever it stands. */
export function parseClaims(text: string): Claims | null {
  const value = parseJson(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  // Each level takes two characters at least: most tokens are too short to be too deep.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) return null
  // The cast is sound: every object has text keys, and its values are taken as unknown.
  return value as Claims
}

/** Whether the claims hold now. `exp` is mandatory; `nbf` and `iat` count when present. */
function isCurrent(claims: Claims, nowSeconds: number): boolean {
  const { exp, nbf, iat } = claims
  if (!isInstant(exp) || exp <= nowSeconds - toleranceSeconds) return false
  if (nbf !== undefined && (!isInstant(nbf) || nbf > nowSeconds + toleranceSeconds)) return false
  return iat === undefined || isInstant(iat)
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value)
}

function parseJson(text: string): unknown {
  try {
    // A key may be written with escapes. A reviver costs much, so that only the texts that may need one get it.
    return text.includes("__proto__") || text.includes("\\u") ? JSON.parse(text, dropPrototype) : JSON.parse(text)
  } catch {
    // Not JSON is one of the ways of not being claims.
    return null
  }
}

function dropPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/**
 * A token is malformed, tampered with, expired, not valid yet, or encrypted for another purpose or with an unknown
 * secret. Always the same words: whoever sent the token must not learn which.
 */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken"

  constructor() {
    super("The token is invalid or has expired.")
  }
}
