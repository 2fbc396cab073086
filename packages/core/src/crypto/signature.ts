import { primitives } from "#crypto"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import {
  type Bytes,
  findSignatureAlgorithm,
  type Primitives,
  type PublicJwk,
  type SignatureAlgorithm,
  type Verifier,
} from "./backend.js"

/** A text with its signature, such as the two halves of a JWS. */
export interface SignedText {
  readonly text: string
  readonly signature: Bytes
  /** `alg` of the JWS header. The caller checked that it is allowed. */
  readonly alg: string
  /** `kid` of the JWS header, if present. */
  readonly kid: string | undefined
}

/** Minimum size of an RSA key, RFC 7518 section 3.3, in characters of base64url. */
const minModulusLength = Math.ceil(2048 / 6)

/** The result of a verification. `several keys`: it is unknown which of the matching keys is meant. */
export type Verdict = "right" | "wrong" | "no key" | "several keys"

/** Verifies signatures with the one matching key of a set. */
export interface Signatures {
  /** Throws if the matching key is malformed. */
  verify(signed: SignedText, keys: readonly PublicJwk[]): Awaitable<Verdict>
}

/** @internal Exported so that tests can run it on every platform. */
export function createSignatures(platform: Primitives): Signatures {
  // Imported keys, for as long as the caller keeps the key set.
  const imported = new WeakMap<PublicJwk, Map<string, Awaitable<Verifier>>>()

  function verifierOf(jwk: PublicJwk, alg: string, algorithm: SignatureAlgorithm): Awaitable<Verifier> {
    const verifiers = imported.get(jwk) ?? new Map<string, Awaitable<Verifier>>()
    imported.set(jwk, verifiers)
    const verifier = verifiers.get(alg) ?? platform.createVerifier(jwk, algorithm)
    verifiers.set(alg, verifier)
    return verifier
  }

  function verify(signed: SignedText, keys: readonly PublicJwk[]): Awaitable<Verdict> {
    const algorithm = findSignatureAlgorithm(signed.alg)
    if (!algorithm) return "no key"
    const [key, ...others] = keys.filter((jwk) => isMeant(jwk, signed) && fits(jwk, signed.alg, algorithm))
    if (!key) return "no key"
    if (others.length > 0) return "several keys"
    return andThen(verifierOf(key, signed.alg, algorithm), (verifier) =>
      andThen(verifier(signed.text, signed.signature), (isRight) => (isRight ? "right" : "wrong")),
    )
  }

  return { verify }
}

function isMeant({ kid }: PublicJwk, signed: SignedText): boolean {
  return signed.kid === undefined || kid === signed.kid
}

/** Whether the members of a key, RFC 7517 section 4, allow this use. */
function fits(jwk: PublicJwk, wanted: string, algorithm: SignatureAlgorithm): boolean {
  const { kty, crv, n, d, use, key_ops, alg } = jwk
  // A private key: anyone who reads the set could sign with it.
  if (d !== undefined) return false
  if (kty !== algorithm.kty || (algorithm.curve !== undefined && crv !== algorithm.curve)) return false
  if (kty === "RSA" && (typeof n !== "string" || n.length < minModulusLength)) return false
  if (use !== undefined && use !== "sig") return false
  if (Array.isArray(key_ops) && !key_ops.includes("verify")) return false
  return (
    alg === undefined || alg === wanted || (algorithm.scheme === "Ed25519" && (alg === "EdDSA" || alg === "Ed25519"))
  )
}

/** Signatures with the cryptography of this platform. */
export const signatures: Signatures = createSignatures(primitives)
