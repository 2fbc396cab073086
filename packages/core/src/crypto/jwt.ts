import { primitives } from "#crypto"
import { isRecord, parseJson } from "../runtime/json.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { JWT, JWTDecodeParams, JWTEncodeParams } from "../types/jwt.js"
import { type Bytes, type Cipher, cbcHmac, gcm, type Opener, type Primitives, type TokenHeader } from "./backend.js"
import { type KeptKeys, keepKeys, type Secrets, toSecrets } from "./keys.js"

/** Maximum characters of a token, far above what cookies can hold. Checked before any cryptography. */
export const maxTokenLength = 131072
const maxHeaderLength = 4096
const encoder = new TextEncoder()

const defaultMaxAgeSeconds = 30 * 24 * 60 * 60

interface EncodeContext {
  /** Default: the system's time. */
  readonly clock?: Clock
  /** Id of the token. Null: none. Default: a random UUID. */
  readonly jti?: string | null
}

/**
 * Returns the decrypted text of a token: the one that is remembered, or that of `decrypt`. One memory belongs to one secret
 * and one salt.
 */
export type RememberText = (token: string, decrypt: () => Awaitable<string | null>) => Awaitable<string | null>

interface DecodeParams extends JWTDecodeParams {
  /** Remembers decrypted texts. Their claims are parsed and checked each time. */
  readonly remember?: RememberText | undefined
}

/** Encrypted tokens with claims and an expiry. Synchronous if the platform's cryptography is. */
interface Tokens {
  encode<Payload = JWT>(params: JWTEncodeParams<Payload>, context?: EncodeContext): Awaitable<string>
  /** Null without a token. Throws `InvalidToken`. */
  decode(params: DecodeParams, clock?: Clock): Awaitable<JWT | null>
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
    if (!Number.isFinite(exp)) throw new RangeError("The lifetime of a token must be a finite number of seconds")
    const encrypted = jwe.encrypt(JSON.stringify({ ...token, iat, exp, jti: jti ?? undefined }), {
      secrets: toSecrets(secret),
      salt,
    })
    return andThen(encrypted, refuseTooLong)
  }

  function decrypt({ token, secret, salt, remember }: DecodeParams): Awaitable<string | null> {
    const keys = { secrets: toSecrets(secret), salt }
    if (typeof token !== "string") return null
    const open = () => jwe.decrypt(token, keys)
    return remember ? remember(token, open) : open()
  }

  function read(params: DecodeParams, clock: Clock, toClaims: typeof readClaims): Awaitable<JWT | null> {
    return andThen(decrypt(params), (text) => toClaims(text, clock))
  }

  return {
    encode,
    decode: (params, clock = Date.now) => (params.token ? read(params, clock, requireClaims) : null),
    open: (params, clock = Date.now) => read(params, clock, readClaims),
  }
}

function toSeconds(clock: Clock): number {
  return Math.floor(clock() / 1000)
}

/** Null unless the decrypted text holds claims that are valid now. */
function readClaims(text: string | null, clock: Clock): JWT | null {
  const claims = text === null ? null : parseClaims(text)
  // Authentic claims of `encode`; the app declares their type itself.
  return claims && isCurrent(claims, toSeconds(clock)) ? (claims as JWT) : null
}

function requireClaims(text: string | null, clock: Clock): JWT {
  const claims = readClaims(text, clock)
  if (claims === null) throw new InvalidToken()
  return claims
}

function refuseTooLong(token: string): string {
  if (token.length > maxTokenLength) throw new TokenTooLong(`A token must have at most ${maxTokenLength} characters`)
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

/** The claims do not fit into a token. */
export class TokenTooLong extends RangeError {}

/** The claims of a decrypted token: authentic, but only known to be a JSON object. */
type Claims = Readonly<Record<string, unknown>>

/** Allowed difference between the clocks of two machines. */
const toleranceSeconds = 15
/** Low enough that code that walks the claims, such as `JSON.stringify`, cannot overflow the stack. */
const maxDepth = 500

/**
 * Parses claims. Null unless the text is a JSON object of limited depth. Drops members named `__proto__` at any depth.
 * @internal Exported for its tests.
 */
export function parseClaims(text: string): Claims | null {
  const value = parseWithoutPrototypes(text)
  if (!isRecord(value)) return null
  // Each level takes at least two characters, so most tokens are too short to be too deep.
  return text.length > 2 * maxDepth && isDeeper(value, maxDepth) ? null : value
}

/** The service wrote the text, so that claims named `constructor` are the app's own. */
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
 * @internal Exported for its tests.
 */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken"

  constructor() {
    super("The token is invalid or has expired.")
  }
}

/** The secrets and salt of a token's keys: the first secret encrypts, all of them decrypt. */
export interface TokenKeys {
  readonly secrets: Secrets
  readonly salt: string
}

/** Compact JWE with direct encryption, RFC 7516 section 7.1 and RFC 7518 section 4.5. */
interface Jwe {
  encrypt(plaintext: string, keys: TokenKeys): Awaitable<string>
  /** Null unless the text is such a token and one of the keys decrypts it. */
  decrypt(token: string, keys: TokenKeys): Awaitable<string | null>
}

/**
 * Creates the encryption of tokens from the platform's cryptography.
 * @internal Exported for its tests.
 */
export function createJwe(platform: Primitives): Jwe {
  const contentKeys = createContentKeys(platform)
  const cbcHmacKeys = contentKeys["A256CBC-HS512"]

  function encrypt(plaintext: string, { secrets, salt }: TokenKeys): Awaitable<string> {
    const known = cbcHmacKeys.find(secrets[0], salt)
    if (known) return known.cipher.seal(plaintext, known.header)
    return andThen(cbcHmacKeys.get(secrets[0], salt), ({ cipher, header }) => cipher.seal(plaintext, header))
  }

  function decrypt(token: string, keys: TokenKeys): Awaitable<string | null> {
    if (token.length > maxTokenLength) return null
    const [header, encryptedKey, iv, ciphertext, tag, surplus] = token.split(".", 6)
    // Direct encryption has no encrypted key: RFC 7518 section 4.5.
    if (!header || encryptedKey !== "" || !iv || !ciphertext || !tag || surplus !== undefined) return null
    const parts = { iv, ciphertext, tag }
    // Nearly every token has exactly the header that `encrypt` writes. Others are parsed before a key is derived.
    for (const secret of keys.secrets) {
      const known = cbcHmacKeys.find(secret, keys.salt)
      if (known?.header.text === header) return known.cipher.open(parts, known.header)
    }
    const parsed = parseHeader(header, platform)
    if (parsed === null) return null
    return andThen(findByKid(parsed, keys, contentKeys), (key) =>
      key === null ? null : key.cipher.open(parts, toTokenHeader(header)),
    )
  }

  return { encrypt, decrypt }
}

function parseHeader(encoded: string, { fromBase64url }: Primitives): ProtectedHeader | null {
  if (encoded.length > maxHeaderLength) return null
  const bytes = fromBase64url(encoded)
  return bytes && parseProtectedHeader(new TextDecoder().decode(bytes))
}

/** A token without a key id is decrypted with the first secret only. Each secret is tried at most once. */
function findByKid(
  header: ProtectedHeader,
  keys: TokenKeys,
  contentKeys: ContentKeys,
): Awaitable<DecryptionKey | null> {
  const [secret, next, ...others] = keys.secrets
  return andThen(contentKeys[header.enc].get(secret, keys.salt), (key): Awaitable<DecryptionKey | null> => {
    if (header.kid === undefined || header.kid === key.kid) return key
    return next === undefined ? null : findByKid(header, { ...keys, secrets: [next, ...others] }, contentKeys)
  })
}

/** A key that decrypts tokens. `kid` is its RFC 7638 thumbprint. */
interface DecryptionKey {
  readonly kid: string
  readonly cipher: Opener
}

/** A key that also encrypts tokens. They share one protected header, which is encoded once. */
interface EncryptionKey extends DecryptionKey {
  readonly header: TokenHeader
  readonly cipher: Cipher
}

/** The keys by secret and salt, for each content encryption. */
interface ContentKeys {
  readonly "A256CBC-HS512": KeptKeys<EncryptionKey>
  readonly A256GCM: KeptKeys<DecryptionKey>
}

function createContentKeys(platform: Primitives): ContentKeys {
  return {
    "A256CBC-HS512": keepKeys((secret, salt) => createEncryptionKey(platform, secret, salt)),
    A256GCM: keepKeys((secret, salt) => createDecryptionKey(platform, secret, salt)),
  }
}

function createEncryptionKey(platform: Primitives, secret: string, salt: string): Awaitable<EncryptionKey> {
  return andThen(derive(platform, { secret, salt, length: cbcHmac.key }), (key) =>
    andThen(platform.sha512(toJwk(platform, key)), (thumbprint) => {
      const kid = platform.toBase64url(thumbprint)
      const json = JSON.stringify({ alg: "dir", enc: "A256CBC-HS512", kid })
      const header = toTokenHeader(platform.toBase64url(encoder.encode(json)))
      return andThen(platform.createCbcHmacCipher(key), (cipher) => ({ kid, header, cipher }))
    }),
  )
}

function createDecryptionKey(platform: Primitives, secret: string, salt: string): Awaitable<DecryptionKey> {
  return andThen(derive(platform, { secret, salt, length: gcm.key }), (key) =>
    andThen(platform.sha256(toJwk(platform, key)), (thumbprint) => {
      const kid = platform.toBase64url(thumbprint)
      return andThen(platform.createGcmOpener(key), (cipher) => ({ kid, cipher }))
    }),
  )
}

interface ContentKeyDerivation {
  readonly secret: string
  readonly salt: string
  readonly length: number
}

function derive(platform: Primitives, { secret, salt, length }: ContentKeyDerivation): Awaitable<Bytes> {
  // This text is part of the format: other libraries read and write the same tokens.
  return platform.deriveKey({ secret, salt, length, info: `Auth.js Generated Encryption Key (${salt})` })
}

/** The key as an `oct` JWK with only its required members, in order: RFC 7638 section 3.2. */
function toJwk(platform: Primitives, key: Bytes): string {
  return JSON.stringify({ k: platform.toBase64url(key), kty: "oct" })
}

/** The supported content encryptions of RFC 7518 section 5.1. A256GCM is for decryption only. */
type ContentEncryption = "A256CBC-HS512" | "A256GCM"

/** The relevant members of a protected header, RFC 7516 section 4.1. */
interface ProtectedHeader {
  readonly enc: ContentEncryption
  readonly kid: string | undefined
}

/**
 * Parses a protected header. Null unless it has the algorithm `dir`, one of the two encryptions, no compression and no
 * critical extension. All other members are ignored, above all keys and URLs of keys.
 * @internal Exported for its tests.
 */
export function parseProtectedHeader(json: string): ProtectedHeader | null {
  const header = parseJson(json)
  if (!isRecord(header) || header["alg"] !== "dir") return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
  const { enc, kid } = header
  if (enc !== "A256CBC-HS512" && enc !== "A256GCM") return null
  if (kid !== undefined && typeof kid !== "string") return null
  return { enc, kid }
}

/** @internal Exported for its tests. */
export function toTokenHeader(text: string): TokenHeader {
  const bytes = encoder.encode(text)
  const lengthBlock = new Uint8Array(8)
  new DataView(lengthBlock.buffer).setUint32(4, bytes.length * 8)
  return { text, bytes, lengthBlock }
}
