import { createHash, createPrivateKey, createPublicKey, sign as signBytes } from "node:crypto"
import { appOrigin, halfPath, type Identity, type Person, secretMark, subjectOf } from "./people.js"
import { createTokens, type ProviderCaller } from "./provider-tokens.js"
import type { Random } from "./random.js"

/** What differs in a token. */
export interface TokenChanges {
  readonly claims: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** Signs with a key that the provider does not have. */
  readonly isForged?: boolean
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
  /** The end-session endpoint, which asks nothing. */
  endSession(request: URL): URL
  /** All other endpoints. */
  answer(request: Request, caller: ProviderCaller): Promise<Response>
  /** The person whose access token it is; null if it is not valid any more. */
  findOwner(accessToken: string): Identity | null
  rotateKeys(): void
  /** A logout token for the app, with other claims or another header if they are given. */
  logoutToken(changes: TokenChanges): string
  /** The usual identity of a person. */
  identityOf(person: Person): Identity
}

export interface ProviderOptions {
  readonly id: string
  readonly isCompromised: boolean
  /** Whether it compares the code verifier. Many real ones ignore PKCE. */
  readonly isPkceChecked: boolean
  /** Whether it gives refresh tokens, and access tokens of a short life. */
  readonly isRefreshed: boolean
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

  const tokens = createTokens({ ...options, secretText })

  function redeem(params: URLSearchParams, caller: ProviderCaller): Response {
    if (params.get("grant_type") !== "refresh_token") return redeemCode(params, caller)
    const refreshed = tokens.refresh(params.get("refresh_token") ?? "", caller)
    if (refreshed === null) return invalidGrant()
    const idToken = signToken(claimsOf(id, { ...noGrant, identity: refreshed.identity }, now()), keyIndex)
    return json({ ...refreshed.answer, id_token: idToken })
  }

  function redeemCode(params: URLSearchParams, caller: ProviderCaller): Response {
    const code = params.get("code") ?? ""
    const grant = grants.get(code)
    grants.delete(code)
    if (!grant || grant.expiresMs < now() || grant.redirectUri !== params.get("redirect_uri")) return invalidGrant()
    if (options.isPkceChecked && grant.challenge !== null) {
      if (toChallenge(params.get("code_verifier") ?? "") !== grant.challenge) return invalidGrant()
    }
    caller.note(grant.identity)
    return json({
      ...tokens.issue(grant.identity, { isEnded: false }),
      id_token: signToken({ ...claimsOf(id, grant, now()), sid: toSessionId(code) }, keyIndex),
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
      const ownUris = ["/auth", halfPath].map((path) => `${appOrigin}${path}/callback/${id}`)
      if (!ownUris.includes(String(redirectUri))) return new URL(`${origin}/error`)
      const code = `code-${secretText()}`
      const expiresMs = now() + codeSeconds * 1000
      const [nonce, challenge] = [params.get("nonce"), params.get("code_challenge")]
      grants.set(code, { identity, nonce, challenge, redirectUri, expiresMs })
      const state = params.get("state")
      return new URL(`${redirectUri}?${new URLSearchParams({ code, ...(state !== null && { state }), iss: origin })}`)
    },
    endSession: (request) => toReturnUrl(request) ?? new URL(`${origin}/error`),
    findOwner: (accessToken) => tokens.findOwner(accessToken),
    async answer(request, caller) {
      const { pathname } = new URL(request.url)
      if (pathname === "/.well-known/openid-configuration") return json(metadataOf(origin))
      if (pathname === "/jwks") return json({ keys: [keys[keyIndex % keys.length]?.jwk] })
      if (pathname === "/token") return redeem(new URLSearchParams(await request.text()), caller)
      return json({ error: "not_found" }, 404)
    },
    rotateKeys() {
      keyIndex += 1
    },
    logoutToken({ claims, header, isForged = false }) {
      const iat = Math.floor(now() / 1000)
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} }
      const usual = { iss: origin, aud: `client-${id}`, iat, exp: iat + 120, jti: secretText(), events }
      return signToken({ ...usual, ...claims }, keyIndex, { typ: "logout+jwt", ...header }, isForged)
    },
    identityOf: (person) => ({ sub: subjectOf(person, id), email: person.email, isEmailVerified: true, person }),
  }
}

function toChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url")
}

const noGrant = { nonce: null, challenge: null, redirectUri: "", expiresMs: 0 }

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

/** Where the end-session endpoint leads, with the state that it got. Null for an address that is not registered. */
function toReturnUrl({ searchParams }: URL): URL | null {
  const target = URL.parse(searchParams.get("post_logout_redirect_uri") ?? "")
  if (target?.href !== `${appOrigin}/auth/signed-out`) return null
  target.searchParams.set("state", searchParams.get("state") ?? "")
  return target
}

/** The provider's id of a session. It does not tell the code. */
function toSessionId(code: string): string {
  return createHash("sha256").update(`session ${code}`).digest("base64url").slice(0, 16)
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/logout`,
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

function signToken(claims: object, keyIndex: number, header: object = {}, isForged = false): string {
  const announced = keys[keyIndex % keys.length]
  const signing = isForged ? keys[(keyIndex + 1) % keys.length] : announced
  if (!announced || !signing) throw new RangeError("There is no key")
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
  const text = `${encode({ alg: "EdDSA", kid: announced.jwk.kid, ...header })}.${encode(claims)}`
  return `${text}.${signBytes(null, Buffer.from(text), signing.key).toString("base64url")}`
}

function invalidGrant(): Response {
  return json({ error: "invalid_grant" }, 400)
}

function json(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })
}
