import { tokens } from "../crypto/jwt.js"
import type { Log } from "../log/log.js"

/** The tokens that a browser sent as its session, and what they should open with. */
interface RejectedTokens {
  readonly values: readonly string[]
  readonly secrets: readonly string[]
  readonly salt: string
}

/**
 * Warns, once, if a session token has the id of another key: that of another app, since cookies do not distinguish ports, or
 * that of a process with another secret. Each would sign the users of the other out without a word.
 */
export async function warnAboutOtherSecret({ values, secrets, salt }: RejectedTokens, log: Log): Promise<void> {
  const sent = values.flatMap((value) => readKeyId(value) ?? [])
  if (sent.length === 0) return
  const own = secrets.map(async (secret) => readKeyId(await tokens.encode({ token: {}, secret, salt })))
  const known = await Promise.all(own)
  if (sent.some((id) => !known.includes(id))) log.warnOnce("session-of-other-secret")
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
