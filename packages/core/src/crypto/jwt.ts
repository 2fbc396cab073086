import { primitives } from "#crypto"
import { isRecord } from "../runtime/json.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { JWT, JWTDecodeParams, JWTEncodeParams } from "../types/jwt.js"
import type { Primitives } from "./backend.js"
import { createJwe, maxTokenLength } from "./jwe.js"
import { toSecrets } from "./keys.js"

const defaultMaxAgeSeconds = 30 * 24 * 60 * 60

interface EncodeContext {
  /** Default: the system's time. */
  readonly clock?: Clock
  /** Id of the token. Default: a random UUID. */
  readonly jti?: string
}

/** Encrypted tokens with claims and an expiry. Synchronous if the platform's cryptography is. */
interface Tokens {
  encode<Payload = JWT>(params: JWTEncodeParams<Payload>, context?: EncodeContext): Awaitable<string>
  /** Null without a token. Throws `InvalidToken`. */
  decode(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
  /** Like `decode`, but returns null for an invalid token. */
  open(params: JWTDecodeParams, clock?: Clock): Awaitable<JWT | null>
}

/** @internal Exported so that tests can run it on every platform. */
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
      // Authentic claims of `encode`; the app declares their type itself.
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
  if (token.length > maxTokenLength) throw new RangeError(`A token must have at most ${maxTokenLength} characters.`)
  return token
}

/** Tokens with the cryptography of this platform. */
export const tokens: Tokens = createTokens(primitives)

/**
 * Creates a session token: compact JWE with `dir` and `A256CBC-HS512`. Its key is derived from the first secret and the
 * salt. `iat`, `exp` and `jti` are always replaced.
 * @throws MissingSecret, InvalidConfiguration; RangeError if the token is too long to be decoded.
 */
export async function encode<Payload = JWT>(params: JWTEncodeParams<Payload>): Promise<string> {
  return tokens.encode(params)
}

/**
 * Decodes a session token with the secret that its key id names (the first one without a key id). Null without a token.
 * @throws InvalidToken if it is malformed, expired or encrypted differently, always with the same message.
 */
export async function decode<Payload = JWT>(params: JWTDecodeParams): Promise<Payload | null> {
  // Authentic; the caller declares what its tokens contain.
  return tokens.decode(params) as Awaitable<Payload | null>
}

/** The claims of a decrypted token: authentic, but only known to be a JSON object. */
type Claims = Readonly<Record<string, unknown>>

/** Allowed difference between the clocks of two machines. */
const toleranceSeconds = 15
/** Low enough that code that walks the claims, such as `JSON.stringify`, cannot overflow the stack. */
const maxDepth = 500

/** Parses claims. Null unless the text is a JSON object of limited depth. Drops members named `__proto__` at any depth. */
export function parseClaims(text: string): Claims | null {
  const value = parseWithoutPrototypes(text)
  if (!isRecord(value)) return null
  // Each level takes at least two characters, so most tokens are too short to be too deep.
  return text.length > 2 * maxDepth && isDeeper(value, maxDepth) ? null : value
}

function parseWithoutPrototypes(text: string): unknown {
  try {
    // A key may contain escapes. A reviver is slow, so it is used only if the text may need it.
    return text.includes("__proto__") || text.includes("\\u") ? JSON.parse(text, dropPrototype) : JSON.parse(text)
  } catch {
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

/** Whether the token is valid now. `exp` is required; `nbf` and `iat` are checked if present. */
function isCurrent(claims: Claims, nowSeconds: number): boolean {
  const { exp, nbf, iat } = claims
  if (!isInstant(exp) || exp <= nowSeconds - toleranceSeconds) return false
  if (nbf !== undefined && (!isInstant(nbf) || nbf > nowSeconds + toleranceSeconds)) return false
  return iat === undefined || isInstant(iat)
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value)
}

/**
 * A token is malformed, tampered with, expired, not valid yet, or encrypted for another purpose or with another secret.
 * The message is always the same, because the sender must not learn which.
 */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken"

  constructor() {
    super("The token is invalid or has expired.")
  }
}
