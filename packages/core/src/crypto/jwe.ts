import type { Awaitable } from "../contract/awaitable.js"
import { andThen } from "./and-then.js"
import { toAuthenticatedData } from "./authenticated-data.js"
import { type ContentKeys, createContentKeys, type DecryptionKey, type EncryptionKey } from "./content-keys.js"
import type { Encrypted, Primitives } from "./primitives.js"
import { type ProtectedHeader, parseProtectedHeader } from "./protected-header.js"
import type { Secrets } from "./secrets.js"

/** Characters of a token. Far above what cookies carry; looked at before any cryptography. */
export const maxTokenLength = 131072
const maxHeaderLength = 4096

/** Whose keys: of the first secret when writing, of any of them when reading. */
export interface TokenKeys {
  readonly secrets: Secrets
  readonly salt: string
}

/** Compact JWE with direct encryption, RFC 7516 section 7.1 and RFC 7518 section 4.5. */
export interface Jwe {
  encrypt(plaintext: string, keys: TokenKeys): Awaitable<string>
  /** Null for whatever is not such a token under one of these keys. */
  decrypt(token: string, keys: TokenKeys): Awaitable<string | null>
}

interface Parts {
  readonly header: string
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
}

export function createJwe(primitives: Primitives): Jwe {
  const contentKeys = createContentKeys(primitives)
  const { toBase64url } = primitives

  function encrypt(plaintext: string, { secrets, salt }: TokenKeys): Awaitable<string> {
    return andThen(contentKeys["A256CBC-HS512"].get(secrets[0], salt), ({ header, aad, cipher }) =>
      andThen(
        cipher.encrypt(plaintext, aad),
        ({ iv, ciphertext, tag }) => `${header}..${toBase64url(iv)}.${toBase64url(ciphertext)}.${toBase64url(tag)}`,
      ),
    )
  }

  function decrypt(token: string, keys: TokenKeys): Awaitable<string | null> {
    const parts = parseParts(token)
    const encrypted = parts && decodeParts(parts, primitives)
    if (!parts || !encrypted) return null
    // Nearly every token bears the very header that we write. The others' are parsed before a key is derived for them.
    const known = findByHeader(parts.header, keys, contentKeys)
    if (known) return known.cipher.decrypt(encrypted, known.aad)
    const header = parseHeader(parts.header, primitives)
    if (header === null) return null
    return andThen(findByKid(header, keys, contentKeys), (key) => {
      return key === null ? null : key.cipher.decrypt(encrypted, toAuthenticatedData(parts.header))
    })
  }

  return { encrypt, decrypt }
}

function parseParts(token: string): Parts | null {
  if (token.length > maxTokenLength) return null
  const [header, encryptedKey, iv, ciphertext, tag, surplus] = token.split(".", 6)
  if (!header || !iv || !ciphertext || !tag) return null
  // Direct encryption has no encrypted key: RFC 7518 section 4.5.
  return encryptedKey === "" && surplus === undefined ? { header, iv, ciphertext, tag } : null
}

function decodeParts(parts: Parts, { fromBase64url }: Primitives): Encrypted | null {
  const iv = fromBase64url(parts.iv)
  const ciphertext = fromBase64url(parts.ciphertext)
  const tag = fromBase64url(parts.tag)
  return iv && ciphertext && tag && { iv, ciphertext, tag }
}

function findByHeader(header: string, { secrets, salt }: TokenKeys, contentKeys: ContentKeys): EncryptionKey | null {
  for (const secret of secrets) {
    const key = contentKeys["A256CBC-HS512"].find(secret, salt)
    if (key?.header === header) return key
  }
  return null
}

function parseHeader(encoded: string, { fromBase64url }: Primitives): ProtectedHeader | null {
  if (encoded.length > maxHeaderLength) return null
  const bytes = fromBase64url(encoded)
  return bytes && parseProtectedHeader(new TextDecoder().decode(bytes))
}

/** A token without a key id is tried with the first secret alone; each secret is looked at once at most. */
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
