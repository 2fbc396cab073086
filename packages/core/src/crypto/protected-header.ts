/** Content encryption of RFC 7518 section 5.1 that is read. A256GCM is never written. */
type ContentEncryption = "A256CBC-HS512" | "A256GCM"

/** What counts of the protected header of a token, RFC 7516 section 4.1. */
export interface ProtectedHeader {
  readonly enc: ContentEncryption
  readonly kid: string | undefined
}

/**
 * The list of algorithms is closed: `dir` and the two encryptions, no compression, no extension that must be
 * understood. Everything else in a header, keys and addresses of keys above all, is ignored. Null when refused.
 */
export function parseProtectedHeader(json: string): ProtectedHeader | null {
  const header = parseObject(json)
  if (header === null || header["alg"] !== "dir") return null
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
  const { enc, kid } = header
  if (enc !== "A256CBC-HS512" && enc !== "A256GCM") return null
  if (kid !== undefined && typeof kid !== "string") return null
  return { enc, kid }
}

function parseObject(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json)
    // The cast is sound: every object has text keys, and its values are taken as unknown.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Not JSON is one of the ways of not being a header.
    return null
  }
}
