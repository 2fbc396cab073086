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

export interface SignedText {
  readonly text: string
  readonly signature: Bytes
  /** `alg` of the JWS header. The caller has decided that it is one to be accepted. */
  readonly alg: string
  /** `kid` of the JWS header, where it names one. */
  readonly kid: string | undefined
}

/** Bits that RFC 7518 section 3.3 asks of an RSA key, in characters of base64url. */
const minModulusLength = Math.ceil(2048 / 6)

/** With several keys that fit it cannot be guessed which one is meant. */
export type Verdict = "right" | "wrong" | "no key" | "several keys"

/** Verifies with the one key of a set that fits. */
export interface Signatures {
  /** Fails when the key that fits is broken. */
  verify(signed: SignedText, keys: readonly PublicJwk[]): Awaitable<Verdict>
}

/** @internal Exported so that tests run over every platform's primitives. */
export function createSignatures(platform: Primitives): Signatures {
  // A key set is kept by whoever fetched it; its keys are made ready once, and go with it.
  const ready = new WeakMap<PublicJwk, Map<string, Awaitable<Verifier>>>()

  function verifierOf(jwk: PublicJwk, alg: string, algorithm: SignatureAlgorithm): Awaitable<Verifier> {
    const verifiers = ready.get(jwk) ?? new Map<string, Awaitable<Verifier>>()
    ready.set(jwk, verifiers)
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

/** What a key says of itself, RFC 7517 section 4, allows this use of it. */
function fits(jwk: PublicJwk, wanted: string, algorithm: SignatureAlgorithm): boolean {
  const { kty, crv, n, d, use, key_ops, alg } = jwk
  // Whoever reads the set could sign with it.
  if (d !== undefined) return false
  if (kty !== algorithm.kty || (algorithm.curve !== undefined && crv !== algorithm.curve)) return false
  if (kty === "RSA" && (typeof n !== "string" || n.length < minModulusLength)) return false
  if (use !== undefined && use !== "sig") return false
  if (Array.isArray(key_ops) && !key_ops.includes("verify")) return false
  return (
    alg === undefined || alg === wanted || (algorithm.scheme === "Ed25519" && (alg === "EdDSA" || alg === "Ed25519"))
  )
}

/** Signatures on this platform. */
export const signatures: Signatures = createSignatures(primitives)
