/** How an algorithm of RFC 7518 section 3.1 or RFC 8037 section 3.1 signs, in the terms of Web Crypto. */
export interface SignatureAlgorithm {
  /** `kty` of its keys. */
  readonly kty: "RSA" | "EC" | "OKP"
  /** `crv` of its keys; undefined for RSA. */
  readonly curve: string | undefined
  readonly scheme: "RSASSA-PKCS1-v1_5" | "RSA-PSS" | "ECDSA" | "Ed25519"
  /** Undefined where the scheme brings its own. */
  readonly hash: "SHA-256" | "SHA-384" | "SHA-512" | undefined
  /** Of RSA-PSS: as many bytes as the hash has, RFC 7518 section 3.5. */
  readonly saltLength: number
}

const lengths = [256, 384, 512] as const
const curves = { 256: "P-256", 384: "P-384", 512: "P-521" } as const
const edwards: SignatureAlgorithm = {
  kty: "OKP",
  curve: "Ed25519",
  scheme: "Ed25519",
  hash: undefined,
  saltLength: 0,
}

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["EdDSA", edwards],
  ["Ed25519", edwards],
  ...lengths.flatMap((length): readonly (readonly [string, SignatureAlgorithm])[] => {
    const hash = `SHA-${length}` as const
    const rsa = { kty: "RSA", curve: undefined, hash, saltLength: length / 8 } as const
    const ec = { kty: "EC", curve: curves[length], hash, saltLength: 0 } as const
    return [
      [`RS${length}`, { ...rsa, scheme: "RSASSA-PKCS1-v1_5" }],
      [`PS${length}`, { ...rsa, scheme: "RSA-PSS" }],
      [`ES${length}`, { ...ec, scheme: "ECDSA" }],
    ]
  }),
])

/**
 * An algorithm of public keys by its `alg`; undefined for all others, `none` and those of shared secrets among them.
 */
export function findSignatureAlgorithm(alg: string): SignatureAlgorithm | undefined {
  return algorithms.get(alg)
}
