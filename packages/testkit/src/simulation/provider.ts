import { createHash, createPrivateKey, createPublicKey, sign as signBytes } from "node:crypto"
import { appOrigin, type Person, secretMark, subjectOf } from "./people.js"
import type { Random } from "./random.js"

/** Who signs in at a provider, and what the provider tells about them. */
export interface Identity {
  readonly sub: string
  readonly email: string
  readonly isEmailVerified: boolean | undefined
  /** Who controls the account: its owner, or the attacker if the provider answers for someone else. */
  readonly person: Person
}

interface Grant {
  readonly identity: Identity
  readonly nonce: string | null
  readonly challenge: string | null
  readonly redirectUri: string
  readonly expiresMs: number
}

/** An OpenID provider: lean, because it serves thousands of sign-ins a second, and as strict as the standards ask for. */
export interface SimulatedProvider {
  readonly id: string
  readonly origin: string
  readonly clientSecret: string
  /** Whether the attacker can make it answer for anyone. */
  readonly isCompromised: boolean
  /** The authorization endpoint: the person who is signed in there agrees at once. */
  authorize(request: URL, identity: Identity): URL
  /** All other endpoints. `onProof` gets the identity for which tokens were issued. */
  answer(request: Request, onProof: (identity: Identity) => void): Promise<Response>
  rotateKeys(): void
  /** The usual identity of a person. */
  identityOf(person: Person): Identity
}

export interface ProviderOptions {
  readonly id: string
  readonly isCompromised: boolean
  /** Whether it compares the code verifier. Many real ones ignore PKCE. */
  readonly isPkceChecked: boolean
  readonly now: () => number
  readonly random: Random
}

const codeSeconds = 300

export function createProvider(options: ProviderOptions): SimulatedProvider {
  const { id, isCompromised, now, random } = options
  const origin = `https://${id}.test`
  const clientSecret = `${secretMark}-client-${id}`
  const grants = new Map<string, Grant>()
  let keyIndex = 0

  const secretText = (): string => {
    const bytes = new Uint8Array(12)
    random.fill(bytes)
    return Buffer.from(bytes).toString("base64url")
  }

  async function redeem(request: Request, onProof: (identity: Identity) => void): Promise<Response> {
    const params = new URLSearchParams(await request.text())
    const code = params.get("code") ?? ""
    const grant = grants.get(code)
    grants.delete(code)
    if (!grant || grant.expiresMs < now() || grant.redirectUri !== params.get("redirect_uri")) return invalidGrant()
    if (options.isPkceChecked && grant.challenge !== null) {
      const given = createHash("sha256")
        .update(params.get("code_verifier") ?? "")
        .digest("base64url")
      if (given !== grant.challenge) return invalidGrant()
    }
    onProof(grant.identity)
    return json({
      access_token: `${secretMark}-access-${secretText()}`,
      token_type: "bearer",
      id_token: signToken(claimsOf(id, grant, now()), keyIndex),
    })
  }

  return {
    id,
    origin,
    clientSecret,
    isCompromised,
    authorize(request, identity) {
      const params = request.searchParams
      const redirectUri = params.get("redirect_uri") ?? ""
      if (redirectUri !== `${appOrigin}/auth/callback/${id}`) return new URL(`${origin}/error`)
      const code = `code-${secretText()}`
      const expiresMs = now() + codeSeconds * 1000
      const [nonce, challenge] = [params.get("nonce"), params.get("code_challenge")]
      grants.set(code, { identity, nonce, challenge, redirectUri, expiresMs })
      const target = new URL(redirectUri)
      target.searchParams.set("code", code)
      const state = params.get("state")
      if (state !== null) target.searchParams.set("state", state)
      target.searchParams.set("iss", origin)
      return target
    },
    async answer(request, onProof) {
      const { pathname } = new URL(request.url)
      if (pathname === "/.well-known/openid-configuration") return json(metadataOf(origin))
      if (pathname === "/jwks") return json({ keys: [keys[keyIndex % keys.length]?.jwk] })
      return pathname === "/token" ? redeem(request, onProof) : json({ error: "not_found" }, 404)
    },
    rotateKeys() {
      keyIndex += 1
    },
    identityOf: (person) => ({ sub: subjectOf(person, id), email: person.email, isEmailVerified: true, person }),
  }
}

function claimsOf(id: string, { identity, nonce }: Grant, nowMs: number): object {
  const { sub, email, isEmailVerified } = identity
  const nowSeconds = Math.floor(nowMs / 1000)
  return {
    iss: `https://${id}.test`,
    aud: `client-${id}`,
    sub,
    email,
    ...(isEmailVerified !== undefined && { email_verified: isEmailVerified }),
    name: sub,
    iat: nowSeconds,
    exp: nowSeconds + 600,
    ...(nonce !== null && { nonce }),
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    id_token_signing_alg_values_supported: ["EdDSA"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  }
}

/** Fixed keys, so that two runs of one seed are the same to the byte. */
const keys = [1, 2, 3, 4].map((number) => {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex")
  const key = createPrivateKey({ key: Buffer.concat([prefix, Buffer.alloc(32, number)]), format: "der", type: "pkcs8" })
  const jwk = { ...createPublicKey(key).export({ format: "jwk" }), kid: `key-${number}`, alg: "EdDSA", use: "sig" }
  return { key, jwk }
})

function signToken(claims: object, keyIndex: number): string {
  const signing = keys[keyIndex % keys.length]
  if (!signing) throw new RangeError("There is no key")
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
  const text = `${encode({ alg: "EdDSA", kid: signing.jwk.kid })}.${encode(claims)}`
  return `${text}.${signBytes(null, Buffer.from(text), signing.key).toString("base64url")}`
}

function invalidGrant(): Response {
  return json({ error: "invalid_grant" }, 400)
}

function json(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })
}
