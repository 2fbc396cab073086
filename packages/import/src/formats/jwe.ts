import { createTokenOpener, type TokenKey } from "@latchkey/core/moving"
import { fromBase64url, toText } from "./bytes.js"
import { type Fields, parseFields } from "./json.js"
/** What a token holds. */
export interface OpenedJwe {
  readonly header: Fields
  readonly claims: Fields
}

const maxLength = 131_072

/** Opens tokens with direct encryption: compact JWE, RFC 7516 section 7.1. */
export interface JweOpener {
  /** Whether the text is a token of the format, whatever its key. */
  isToken(text: string): boolean
  /** `over` for a text of another format; `refused` if none of the secrets opens the token. */
  open(text: string, secrets: readonly string[]): Promise<OpenedJwe | "over" | "refused">
}

export function createJweOpener(format: TokenKey): JweOpener {
  const decrypt = createTokenOpener(format)
  const parse = createParser(format)
  return {
    isToken: (text) => parse(text) !== null,
    async open(text, secrets) {
      const header = parse(text)
      if (!header) return "over"
      for (const secret of secrets) {
        const claims = parseFields(await decrypt(text, secret))
        if (claims) return { header, claims }
      }
      return "refused"
    },
  }
}

/** Characters of base64url. */
const lengths = { A256GCM: { iv: 16, tag: 22 }, "A256CBC-HS512": { iv: 22, tag: 43 } }
const encoded = /^[\w-]+$/

/** Returns the header of a token. Its parts are decoded when it is opened. */
function createParser({ encryption }: TokenKey): (text: string) => Fields | null {
  // Most libraries write the same one for all tokens.
  const last: { text?: string; header?: Fields } = {}
  return (text) => {
    const protectedHeader = findHeader(text, encryption)
    if (protectedHeader === null) return null
    if (last.header && last.text === protectedHeader) return last.header
    const header = parseHeader(protectedHeader)
    if (header?.["alg"] !== "dir" || header["enc"] !== encryption) return null
    if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "zip")) return null
    Object.assign(last, { text: protectedHeader, header })
    return header
  }
}

/** The first part of a text with the parts of a token. */
function findHeader(text: string, encryption: TokenKey["encryption"]): string | null {
  if (text.length > maxLength) return null
  const [header, encryptedKey, ...others] = text.split(".", 6)
  const [iv = "", ciphertext = "", tag = ""] = others
  const expected = lengths[encryption]
  const isSized = iv.length === expected.iv && tag.length === expected.tag && ciphertext.length % 4 !== 1
  if (!header || encryptedKey !== "" || others.length !== 3 || !isSized) return null
  return others.every((part) => encoded.test(part)) ? header : null
}

/** The header of a JOSE token. */
export function parseHeader(encoded: string): Fields | null {
  const bytes = encoded.length > 4096 ? null : fromBase64url(encoded)
  return bytes && parseFields(toText(bytes.buffer))
}
