import { type Bytes, CborMap, fromBase64url, join, randomBytes } from "./encoding.js"

/** The algorithm of a credential. */
export type CredentialAlg = "ES256" | "RS256" | "EdDSA"

/** The key pair of a credential. */
export interface CredentialKey {
  /** COSE algorithm identifier. */
  readonly alg: number
  /** The public key as a COSE key, RFC 9052 section 7. */
  readonly cose: CborMap
  /** Signs in the signature format of WebAuthn Level 3 section 6.5.5. */
  sign(bytes: Bytes): Promise<Bytes>
}

/** Generates a key pair for an algorithm of RFC 9053 or RFC 8812. */
export function createCredentialKey(alg: CredentialAlg): Promise<CredentialKey> {
  return makers[alg]()
}

/** COSE algorithm identifiers by name. */
export const coseAlgs: Readonly<Record<CredentialAlg, number>> = { ES256: -7, EdDSA: -8, RS256: -257 }

const makers: Readonly<Record<CredentialAlg, () => Promise<CredentialKey>>> = {
  async ES256() {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"])
    const { x, y } = await exportJwk(pair.publicKey)
    return toKey(
      "ES256",
      [
        [1, 2],
        [-1, 1],
        [-2, x],
        [-3, y],
      ],
      async (bytes) => toDerSignature(await sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, bytes)),
    )
  },
  async EdDSA() {
    // Not by `generateKey`: these keys follow from the platform's random bytes, which a simulation repeats.
    const bytes = join(ed25519Prefix, randomBytes(32))
    const privateKey = await crypto.subtle.importKey("pkcs8", bytes, "Ed25519", true, ["sign"])
    const { x } = await exportJwk(privateKey)
    return toKey(
      "EdDSA",
      [
        [1, 1],
        [-1, 6],
        [-2, x],
      ],
      (signed) => sign("Ed25519", privateKey, signed),
    )
  },
  async RS256() {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
    const size = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }
    const pair = await crypto.subtle.generateKey({ ...algorithm, ...size }, true, ["sign"])
    const { n, e } = await exportJwk(pair.publicKey)
    return toKey(
      "RS256",
      [
        [1, 3],
        [-1, n],
        [-2, e],
      ],
      (bytes) => sign(algorithm.name, pair.privateKey, bytes),
    )
  },
}

function toKey(alg: CredentialAlg, members: CborMap["entries"], signBytes: CredentialKey["sign"]): CredentialKey {
  const [kty, ...others] = members
  const entries = kty ? [kty, [3, coseAlgs[alg]] as const, ...others] : []
  return { alg: coseAlgs[alg], cose: new CborMap(entries), sign: signBytes }
}

/** What comes before the 32 bytes of a private key in PKCS #8, RFC 8410 section 7. */
const ed25519Prefix = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)

type SignArguments = Parameters<typeof crypto.subtle.sign>

async function exportJwk(key: SignArguments[1]): Promise<Readonly<Record<"x" | "y" | "n" | "e", Bytes>>> {
  const { x = "", y = "", n = "", e = "" } = await crypto.subtle.exportKey("jwk", key)
  return { x: fromBase64url(x), y: fromBase64url(y), n: fromBase64url(n), e: fromBase64url(e) }
}

async function sign(algorithm: SignArguments[0], privateKey: SignArguments[1], bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, bytes))
}

/**
 * Converts an ECDSA signature from the raw form of Web Crypto to ASN.1 DER: a sequence of two integers.
 */
function toDerSignature(raw: Uint8Array): Bytes {
  const half = raw.length / 2
  const content = join(toInteger(raw.slice(0, half)), toInteger(raw.slice(half)))
  return join(Uint8Array.of(0x30, content.length), content)
}

function toInteger(bytes: Uint8Array): Bytes {
  const start = bytes.findIndex((byte) => byte !== 0)
  const significant = start < 0 ? Uint8Array.of(0) : bytes.slice(start)
  const isHigh = (significant[0] ?? 0) >= 128
  return join(
    Uint8Array.of(0x02, significant.length + (isHigh ? 1 : 0)),
    Uint8Array.of(...(isHigh ? [0] : [])),
    significant,
  )
}
