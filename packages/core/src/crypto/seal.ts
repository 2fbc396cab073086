import type { Awaitable, Clock } from "../types/basics.js"
import { tokens } from "./jwt.js"
import { toSecrets } from "./keys.js"

/** The values that a browser keeps for the service. */
export type SealedClaims = Readonly<Record<string, unknown>>

/**
 * Seals small values for the browser to keep: encrypted, authenticated and with an expiry. Each purpose has its own key,
 * so a value for one purpose cannot be opened for another. A purpose is the name of a cookie, one of the names that
 * `validateCookie` reserves, or has a colon, which no cookie name can have.
 */
export interface Sealer {
  seal(purpose: string, claims: SealedClaims, ttlSeconds: number): Awaitable<string>
  /** Null if the text is tampered with, expired, or sealed for another purpose or with another secret. */
  open(purpose: string, text: string): Awaitable<SealedClaims | null>
}

/**
 * Creates a sealer that seals with the first secret and opens with any. The format is that of session tokens, with the
 * purpose as the salt.
 * @throws MissingSecret, InvalidConfiguration
 */
export function createSealer(secrets: readonly string[], clock: Clock = Date.now): Sealer {
  const secret = toSecrets(secrets)
  return {
    seal(purpose, claims, ttlSeconds) {
      return tokens.encode({ token: claims, secret, salt: purpose, maxAge: ttlSeconds }, { clock, jti: null })
    },
    open(purpose, text) {
      return tokens.open({ token: text, secret, salt: purpose }, clock)
    },
  }
}

/**
 * Whether a sealed text has the id of another key than ours: that of another app on this host, or of a process with another
 * secret. False for texts without the id of a key.
 */
export async function hasOtherKey(
  texts: readonly string[],
  secrets: readonly string[],
  purpose: string,
): Promise<boolean> {
  const sent = texts.flatMap((text) => readKeyId(text) ?? [])
  if (sent.length === 0) return false
  const own = secrets.map(async (secret) => readKeyId(await tokens.encode({ token: {}, secret, salt: purpose })))
  const known = await Promise.all(own)
  return sent.some((id) => !known.includes(id))
}

/** Whether one of our keys sealed the text, and its time is over. */
async function isExpired(text: string, secrets: readonly string[], purpose: string): Promise<boolean> {
  const secret = toSecrets(secrets)
  return (await tokens.open({ token: text, secret, salt: purpose }, () => 0)) !== null
}

/** Why none of the sealed texts can be opened. */
export async function findFault(
  texts: readonly string[],
  secrets: readonly string[],
  purpose: string,
): Promise<"session-other-secret" | "session-expired" | "session-altered"> {
  if (await hasOtherKey(texts, secrets, purpose)) return "session-other-secret"
  const expired = await Promise.all(texts.map((text) => isExpired(text, secrets, purpose)))
  return expired.includes(true) ? "session-expired" : "session-altered"
}

const maxHeaderLength = 512

/** The key id in the header of a token (RFC 7516 section 4.1.6). Null if there is none. */
function readKeyId(token: string): string | null {
  const [header = ""] = token.slice(0, maxHeaderLength).split(".", 1)
  try {
    const parsed: unknown = JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/")))
    const { enc, kid }: { enc?: unknown; kid?: unknown } = Object(parsed)
    // With another encryption, our own key has another id, too.
    return enc === "A256CBC-HS512" && typeof kid === "string" ? kid : null
  } catch {
    return null
  }
}
