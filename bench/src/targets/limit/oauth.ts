import { createHash, verify } from "node:crypto"
import { origin, secret, sessionCookieName, thirtyDaysSeconds } from "../../fixtures/host.ts"
import { clientId, clientSecret, code, createIdentityProvider, issuer } from "../../fixtures/identity-provider.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { assertCsrf, createCsrfPair } from "./csrf.ts"
import { findCookie, toSessionCookie } from "./http.ts"
import { takeRandom } from "./random.ts"
import { createSealer } from "./sealer.ts"
import { sealClaims } from "./session.ts"

const stateCookie = "__Secure-authjs.state"
const verifierCookie = "__Secure-authjs.pkce.code_verifier"
const redirectUri = `${origin}/auth/callback/idp`
const signInUrl = `${origin}/auth/signin/idp`
const authorizationUrl = `${issuer}/authorize`
const attributes = "Max-Age=900; Path=/; HttpOnly; Secure; SameSite=Lax"

const sealers = {
  state: createSealer(secret, "encodedState"),
  stateCookie: createSealer(secret, stateCookie),
  verifier: createSealer(secret, verifierCookie),
}

interface SealedValue {
  readonly value: string
  readonly provider: string
  readonly exp: number
}

function sealValue(sealer: typeof sealers.state, value: string): string {
  const iat = Math.floor(Date.now() / 1000)
  return sealer.seal(JSON.stringify({ value, provider: "idp", iat, exp: iat + 900 }))
}

function openValue(sealer: typeof sealers.state, token: string): string {
  // Only the limit's own tokens get here.
  const { value, provider, exp } = JSON.parse(sealer.open(token)) as SealedValue
  if (provider !== "idp" || exp * 1000 < Date.now()) throw new Error("Another flow's")
  return value
}

/** CSRF, random state and verifier, one SHA-256, three seals (state, its cookie, the verifier's), the redirect. */
async function startFlow(request: Request): Promise<Response> {
  assertCsrf(request.headers.get("cookie"), new URLSearchParams(await request.text()).get("csrfToken"))
  const state = sealValue(sealers.state, takeRandom(16).toString("hex"))
  const verifier = takeRandom(32).toString("base64url")
  const parameters = new URLSearchParams({
    scope: "openid profile email",
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  })
  const headers = new Headers({ location: `${authorizationUrl}?${parameters}` })
  headers.append("set-cookie", `${stateCookie}=${sealValue(sealers.stateCookie, state)}; ${attributes}`)
  headers.append("set-cookie", `${verifierCookie}=${sealValue(sealers.verifier, verifier)}; ${attributes}`)
  return new Response(null, { status: 302, headers })
}

export async function openOAuthStart(): Promise<Subject<Request, Response>> {
  const { cookie, csrfToken } = createCsrfPair()
  const body = new URLSearchParams({ csrfToken }).toString()
  const init = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", cookie }, body }
  return {
    prepare: (count) => createRequests(count, signInUrl, init),
    act: startFlow,
    sets: [stateCookie, verifierCookie],
  }
}

interface IdTokenClaims {
  readonly iss: string
  readonly aud: string
  readonly exp: number
  readonly sub: string
  readonly name: string
  readonly email: string
  readonly picture: string
}

/** Opens the three seals, asks for the tokens, checks the signature with a kept key, seals the session, redirects. */
export async function openOidcCallback(): Promise<Subject<Request, Response>> {
  const identityProvider = createIdentityProvider()
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
  const tokenHeaders = { authorization, "content-type": "application/x-www-form-urlencoded" }

  async function redeem(codeVerifier: string, answeredCode: string): Promise<IdTokenClaims> {
    const fields = {
      grant_type: "authorization_code",
      code: answeredCode,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    }
    const body = new URLSearchParams(fields).toString()
    const response = await identityProvider.fetch(`${issuer}/token`, { method: "POST", headers: tokenHeaders, body })
    // Only the fixture's own tokens get here.
    const { id_token: idToken } = (await response.json()) as { id_token: string }
    const end = idToken.lastIndexOf(".")
    const isRight = verify(
      "sha256",
      Buffer.from(idToken.slice(0, end)),
      identityProvider.publicKey,
      Buffer.from(idToken.slice(end + 1), "base64url"),
    )
    const claims = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as IdTokenClaims
    const isOurs = claims.iss === issuer && claims.aud === clientId && claims.exp * 1000 > Date.now()
    if (!isRight || !isOurs) throw new Error("Not the ID token of this sign-in")
    return claims
  }

  async function complete(request: Request): Promise<Response> {
    const parameters = new URL(request.url).searchParams
    const header = request.headers.get("cookie")
    const state = parameters.get("state") ?? ""
    openValue(sealers.state, state)
    if (openValue(sealers.stateCookie, findCookie(header, stateCookie)) !== state) throw new Error("Another state")
    const verifier = openValue(sealers.verifier, findCookie(header, verifierCookie))
    const { name, email, picture, sub } = await redeem(verifier, parameters.get("code") ?? "")
    const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
    const headers = new Headers({ location: origin })
    headers.append("set-cookie", toSessionCookie(sealClaims({ name, email, picture, sub }), expires))
    for (const cookie of [stateCookie, verifierCookie]) headers.append("set-cookie", `${cookie}=; Max-Age=0; Path=/`)
    return new Response(null, { status: 302, headers })
  }

  const start = await openOAuthStart()
  return { prepare: (count) => prepareCallbacks(start, count), act: complete, sets: [sessionCookieName] }
}

async function prepareCallbacks(start: Subject<Request, Response>, count: number): Promise<readonly Request[]> {
  const starts = await start.prepare(count)
  return Promise.all(
    starts.map(async (request) => {
      const { headers } = await start.act(request)
      const state = new URL(headers.get("location") ?? "").searchParams.get("state") ?? ""
      const cookie = headers
        .getSetCookie()
        .map((each) => each.split(";", 1)[0])
        .join("; ")
      return new Request(`${redirectUri}?${new URLSearchParams({ code, state })}`, { headers: { cookie } })
    }),
  )
}
