import {
  type Bytes,
  type Cipher,
  cbcHmac,
  type Encrypted,
  gcm,
  hasCbcHmacShape,
  hasGcmShape,
  type Mac,
  type Opener,
  type Primitives,
  type PublicJwk,
  type SignatureAlgorithm,
  type TokenHeader,
  type TokenParts,
  type Verifier,
} from "./backend.js"

/** The platform's module, which the importing file gets: a static import in this file would load it at the start on Bun. */
type NodeCrypto = typeof import("node:crypto")

/** Where keys of a platform come from. */
interface Tools {
  readonly crypto: NodeCrypto
  readonly randomBytes: (length: number) => Bytes
}

/** Uses key objects: with raw bytes, Node would look the algorithm up again for each use. */
function createCbcHmacCipher(key: Bytes, { crypto, randomBytes }: Tools): Cipher {
  const { createCipheriv, createDecipheriv, createHmac, createSecretKey, timingSafeEqual } = crypto
  const macKey = createSecretKey(key.subarray(0, cbcHmac.halfKey))
  const encryptionKey = createSecretKey(key.subarray(cbcHmac.halfKey))

  function toTag(iv: Bytes, ciphertext: Bytes, header: TokenHeader): Bytes {
    const mac = createHmac("sha512", macKey).update(header.bytes).update(iv).update(ciphertext)
    return mac.update(header.lengthBlock).digest().subarray(0, cbcHmac.tag)
  }

  return {
    seal(plaintext, header) {
      const iv = randomBytes(cbcHmac.iv)
      const cipher = createCipheriv("aes-256-cbc", encryptionKey, iv)
      const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()])
      const tag = toTag(iv, ciphertext, header)
      return `${header.text}..${toBase64url(iv)}.${toBase64url(ciphertext)}.${toBase64url(tag)}`
    },
    open(parts, header) {
      const encrypted = decodeParts(parts)
      if (!encrypted || !hasCbcHmacShape(encrypted)) return null
      const { iv, ciphertext, tag } = encrypted
      if (!timingSafeEqual(toTag(iv, ciphertext, header), tag)) return null
      return finish(createDecipheriv("aes-256-cbc", encryptionKey, iv), ciphertext)
    },
  }
}

function createGcmOpener(key: Bytes, { createDecipheriv, createSecretKey }: NodeCrypto): Opener {
  const encryptionKey = createSecretKey(key)
  return {
    open(parts, header) {
      const encrypted = decodeParts(parts)
      if (!encrypted || !hasGcmShape(encrypted)) return null
      const { iv, ciphertext, tag } = encrypted
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, iv, { authTagLength: gcm.tag })
      decipher.setAuthTag(tag).setAAD(header.bytes)
      return finish(decipher, ciphertext)
    },
  }
}

function decodeParts(parts: TokenParts): Encrypted | null {
  const iv = fromBase64url(parts.iv)
  const ciphertext = fromBase64url(parts.ciphertext)
  const tag = fromBase64url(parts.tag)
  return iv && ciphertext && tag && { iv, ciphertext, tag }
}

function finish(
  decipher: Pick<ReturnType<NodeCrypto["createDecipheriv"]>, "update" | "final">,
  ciphertext: Bytes,
): string | null {
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8")
  } catch {
    // A wrong GCM tag, or wrong padding with a correct MAC: the same result, so that they cannot be told apart.
    return null
  }
}

function createMac(key: Bytes, { createHmac, createSecretKey }: NodeCrypto): Mac {
  const macKey = createSecretKey(key)
  return (text) => createHmac("sha256", macKey).update(text, "utf8").digest("hex")
}

function createVerifier(
  jwk: PublicJwk,
  { scheme, hash, saltLength }: SignatureAlgorithm,
  { constants, createPublicKey, verify }: NodeCrypto,
): Verifier {
  // Node validates the members.
  const key = createPublicKey({ key: jwk as Record<string, string>, format: "jwk" })
  // A key without options: Node takes as long for those of a key as for half of an RSA verification.
  const input =
    scheme === "RSA-PSS"
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
      : scheme === "ECDSA"
        ? { key, dsaEncoding: "ieee-p1363" as const }
        : key
  // Deno knows only this spelling of the names.
  const digest = hash?.replace("-", "").toLowerCase()
  return (text, signature) => verify(digest, Buffer.from(text), input, signature)
}

function toBase64url(bytes: Bytes): string {
  return toBuffer(bytes).toString("base64url")
}

function fromBase64url(text: string): Bytes | null {
  const bytes = Buffer.from(text, "base64url")
  // Node's decoder is lenient; only the canonical encoding is accepted.
  return bytes.toString("base64url") === text ? bytes : null
}

/** Converts to a Buffer without a copy. */
function toBuffer(bytes: Bytes): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Node's cryptography: synchronous, because one call takes less time than a switch to a thread and back. */
export function createNodePrimitives(crypto: NodeCrypto): Primitives {
  const { hash, hkdfSync, timingSafeEqual } = crypto
  // Not taken out of the module: what replaces its randomness, such as a simulation, is to be asked.
  const randomBytes = createRandomPool((bytes) => crypto.randomFillSync(bytes), 4096)
  return {
    deriveKey: ({ secret, salt, info, length }) => new Uint8Array(hkdfSync("sha256", secret, salt, info, length)),
    createCbcHmacCipher: (key) => createCbcHmacCipher(key, { crypto, randomBytes }),
    createGcmOpener: (key) => createGcmOpener(key, crypto),
    createMac: (key) => createMac(key, crypto),
    createVerifier: (jwk, algorithm) => createVerifier(jwk, algorithm, crypto),
    sha256: (text) => hash("sha256", text, "buffer"),
    sha512: (text) => hash("sha512", text, "buffer"),
    randomBytes,
    randomUUID: () => crypto.randomUUID(),
    isEqual(a, b) {
      const [one, other] = [Buffer.from(a), Buffer.from(b)] // Half of the time of a `TextEncoder`.
      return one.length === other.length && timingSafeEqual(one, other)
    },
    toBase64url,
    fromBase64url,
    toHex: (bytes) => toBuffer(bytes).toString("hex"),
  }
}

/**
 * Creates a pool of random bytes that is filled in bulk, because a call to the system's generator costs more than the
 * rest of a token. Each byte is returned once and erased from the pool.
 * @param fill Overwrites all bytes with random ones.
 * @param size Size of the pool. A larger request bypasses it.
 * @internal Exported for its tests.
 */
export function createRandomPool(fill: (bytes: Bytes) => void, size: number): (length: number) => Bytes {
  const pool = new Uint8Array(size)
  let used = size

  return (length) => {
    if (length > size) {
      const bytes = new Uint8Array(length)
      fill(bytes)
      return bytes
    }
    if (used + length > size) {
      fill(pool)
      used = 0
    }
    const taken = pool.slice(used, used + length)
    pool.fill(0, used, used + length)
    used += length
    return taken
  }
}
