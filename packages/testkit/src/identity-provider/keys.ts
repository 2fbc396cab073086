import {
  base64url,
  CompactSign,
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
} from "jose"
import type { RegisteredClient } from "./client.js"

/** Algorithms with a key pair. */
type AsymmetricAlg = "RS256" | "PS256" | "ES256" | "ES384" | "ES512" | "EdDSA"

/** How the identity provider signs ID tokens. `HS256` uses the client's secret as the key. */
export type SigningAlg = AsymmetricAlg | "HS256"

interface SigningKey {
  readonly alg: AsymmetricAlg
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly publicJwk: JWK
}

/** The signing keys of an identity provider. */
export interface KeyRing {
  readonly alg: SigningAlg
  /** The algorithm of the provider's own key pair: `alg`, or RS256 for a provider that signs ID tokens with HS256. */
  readonly own: AsymmetricAlg
  /** The current signing key. */
  current(): Promise<SigningKey>
  /** A second key, of the same or another algorithm. It is published from the first call on. */
  extra(alg: AsymmetricAlg, name?: string): Promise<SigningKey>
  /** The public keys, as the key set has them. */
  published(): Promise<readonly JWK[]>
  /** Replaces the current key, also in the key set. */
  rotate(): void
}

/** Generating RSA keys is slow, so providers with the same issuer share them. Keys of two issuers always differ. */
const made = new Map<string, Promise<SigningKey>>()

/** Creates the keys of an issuer. Keys are generated on first use. */
export function createKeyRing(issuer: string, alg: SigningAlg): KeyRing {
  const own: AsymmetricAlg = alg === "HS256" ? "RS256" : alg
  const extras = new Map<string, Promise<SigningKey>>()
  let generation = 0
  const current = () => getKey(own, `${issuer} ${generation}`)

  return {
    alg,
    own,
    current,
    extra(other, name = "spare") {
      const key = getKey(other, `${issuer} ${name}`)
      extras.set(`${other} ${name}`, key)
      return key
    },
    async published() {
      const keys = [current(), ...extras.values()]
      return (await Promise.all(keys)).map(({ publicJwk }) => publicJwk)
    },
    rotate() {
      generation += 1
    },
  }
}

/** A key that no provider has published. */
export function foreignKey(alg: AsymmetricAlg): Promise<SigningKey> {
  return getKey(alg, "of another issuer")
}

function getKey(alg: AsymmetricAlg, owner: string): Promise<SigningKey> {
  const id = `${alg} ${owner}`
  const found = made.get(id) ?? makeKey(alg)
  made.set(id, found)
  return found
}

async function makeKey(alg: AsymmetricAlg): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { alg, kid, privateKey, publicKey, publicJwk: { ...jwk, kid, alg, use: "sig" } }
}

/** How a token is signed. A null key leaves the signature empty. */
export interface Signing {
  readonly header: Readonly<Record<string, unknown>> & { readonly alg: string }
  readonly key: CryptoKey | Uint8Array<ArrayBuffer> | null
}

/** Signing with the provider's own key. */
export async function signingByKey(keys: KeyRing): Promise<Signing> {
  const { alg, kid, privateKey } = await keys.current()
  return { header: { alg, kid, typ: "JWT" }, key: privateKey }
}

/** Signing with the client's secret. */
export function signingBySecret({ client_secret }: RegisteredClient): Signing {
  return { header: { alg: "HS256", typ: "JWT" }, key: new TextEncoder().encode(client_secret) }
}

/** Signs a payload as a compact JWS. */
export async function sign(payload: string, { header, key }: Signing): Promise<string> {
  if (key === null) return `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payload)}.`
  return new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(key)
}
