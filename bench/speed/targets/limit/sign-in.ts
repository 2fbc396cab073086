import { createHash, verify } from "node:crypto"
import {
  createRequests,
  csrfCookieName,
  findByPassword,
  origin,
  password,
  sessionCookieName,
  tenProviders,
  thirtyDaysSeconds,
  toClaims,
  user,
} from "../../fixtures/host.ts"
import {
  clientId,
  clientSecret,
  code,
  createIdentityProvider,
  type IdentityProvider,
  issuer,
} from "../../fixtures/identity-provider.ts"
import type { Subject, Target } from "../../scenario.ts"
import {
  assertCsrf,
  createCsrfPair,
  createSealer,
  getCookie,
  jsonHeaders,
  type Sealer,
  takeRandom,
  toSessionCookie,
} from "./primitives.ts"
import { sealClaims } from "./session.ts"

type WebSubject = Promise<Subject<Request, Response>>

/** The limit of everything before a session exists. */
export const signInSubjects: Target = {
  csrf: openCsrf,
  providers: openProviders,
  "signin-page": openSignInPage,
  credentials: openCredentials,
  "oauth-start": openOAuthStart,
  "oidc-callback": openOidcCallback,
}

const formType = "application/x-www-form-urlencoded"

/** 32 random bytes, one HMAC, and a cookie and Response written by hand. */
async function openCsrf(): WebSubject {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/csrf`),
    run() {
      const { cookie, csrfToken } = createCsrfPair()
      const headers = { ...jsonHeaders, "set-cookie": `${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax` }
      return new Response(JSON.stringify({ csrfToken }), { headers })
    },
    expectedCookies: [csrfCookieName],
  }
}

/** Ten entries with URLs on the request's origin, JSON, and a Response written by hand. */
async function openProviders(): WebSubject {
  const headers = { "content-type": "application/json" }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/providers`),
    run({ url }) {
      const base = url.slice(0, url.lastIndexOf("/"))
      const entries: Record<string, object> = {}
      for (const { id, name, type } of tenProviders) {
        entries[id] = { id, name, type, signinUrl: `${base}/signin/${id}`, callbackUrl: `${base}/callback/${id}` }
      }
      return new Response(JSON.stringify(entries), { headers })
    },
  }
}

/** A page with ten forms, kept as text between the places of the CSRF token; the token's cookie; and a Response. */
async function openSignInPage(): WebSubject {
  const forms = tenProviders.map(
    ({ id, name }) =>
      `<form action="${origin}/auth/signin/${id}" method="post"><input type="hidden" name="csrfToken" value="\0"><button>Sign in with ${name}</button></form>`,
  )
  const pieces = `<!doctype html><html lang="en"><title>Sign in</title><main>${forms.join("")}</main></html>`.split(
    "\0",
  )
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/signin`),
    run() {
      const { cookie, csrfToken } = createCsrfPair()
      const setCookie = `${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax`
      return new Response(pieces.join(csrfToken), { headers: { "content-type": "text/html", "set-cookie": setCookie } })
    },
  }
}

/** Reads the form, checks its CSRF token, seals a session, writes the cookie and the redirect. */
async function openCredentials(): WebSubject {
  const { cookie, csrfToken } = createCsrfPair()
  const body = new URLSearchParams({ csrfToken, email: user.email, password }).toString()
  const init = { method: "POST", headers: { "content-type": formType, cookie }, body }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/callback/credentials`, init),
    async run(request) {
      const form = new URLSearchParams(await request.text())
      assertCsrf(request.headers.get("cookie"), form.get("csrfToken"))
      const found = findByPassword({ email: form.get("email"), password: form.get("password") })
      if (!found) throw new Error("Wrong email or password")
      const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
      const setCookie = toSessionCookie(sealClaims(toClaims(found)), expires)
      return new Response(null, { status: 302, headers: { location: origin, "set-cookie": setCookie } })
    },
    expectedCookies: [sessionCookieName],
  }
}

const stateCookie = "__Secure-authjs.state"
const verifierCookie = "__Secure-authjs.pkce.code_verifier"
const redirectUri = `${origin}/auth/callback/idp`
const attributes = "Max-Age=900; Path=/; HttpOnly; Secure; SameSite=Lax"

const sealers = {
  state: createSealer("encodedState"),
  stateCookie: createSealer(stateCookie),
  verifier: createSealer(verifierCookie),
}

interface SealedValue {
  readonly value: string
  readonly provider: string
  readonly exp: number
}

function sealValue(sealer: Sealer, value: string): string {
  const iat = Math.floor(Date.now() / 1000)
  return sealer.seal(JSON.stringify({ value, provider: "idp", iat, exp: iat + 900 }))
}

function openValue(sealer: Sealer, token: string): string {
  // Validates nothing: the limit only opens its own tokens.
  const { value, provider, exp } = JSON.parse(sealer.open(token)) as SealedValue
  if (provider !== "idp" || exp * 1000 < Date.now()) throw new Error("Value expired or from another flow")
  return value
}

/**
 * The CSRF check, a random state and verifier, one SHA-256, three encryptions (the state, its cookie and the verifier's)
 * and the redirect.
 */
async function openOAuthStart(): WebSubject {
  const { cookie, csrfToken } = createCsrfPair()
  const body = new URLSearchParams({ csrfToken }).toString()
  const init = { method: "POST", headers: { "content-type": formType, cookie }, body }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/signin/idp`, init),
    async run(request) {
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
      const headers = new Headers({ location: `${issuer}/authorize?${parameters}` })
      headers.append("set-cookie", `${stateCookie}=${sealValue(sealers.stateCookie, state)}; ${attributes}`)
      headers.append("set-cookie", `${verifierCookie}=${sealValue(sealers.verifier, verifier)}; ${attributes}`)
      return new Response(null, { status: 302, headers })
    },
    expectedCookies: [stateCookie, verifierCookie],
  }
}

/** Opens the state and both cookies, redeems the code, seals the session, writes the cookies and the redirect. */
async function openOidcCallback(): WebSubject {
  const identityProvider = createIdentityProvider()
  const start = await openOAuthStart()
  return {
    prepare: (count) => prepareCallbacks(start, count),
    async run(request) {
      const parameters = new URL(request.url).searchParams
      const cookieHeader = request.headers.get("cookie")
      const state = parameters.get("state") ?? ""
      openValue(sealers.state, state)
      if (openValue(sealers.stateCookie, getCookie(cookieHeader, stateCookie)) !== state) {
        throw new Error("The state does not match its cookie")
      }
      const verifier = openValue(sealers.verifier, getCookie(cookieHeader, verifierCookie))
      const { name, email, picture, sub } = await redeem(identityProvider, verifier, parameters.get("code") ?? "")
      const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
      const headers = new Headers({ location: origin })
      headers.append("set-cookie", toSessionCookie(sealClaims({ name, email, picture, sub }), expires))
      for (const cookie of [stateCookie, verifierCookie]) headers.append("set-cookie", `${cookie}=; Max-Age=0; Path=/`)
      return new Response(null, { status: 302, headers })
    },
    expectedCookies: [sessionCookieName],
  }
}

async function prepareCallbacks(start: Subject<Request, Response>, count: number): Promise<readonly Request[]> {
  const starts = await start.prepare(count)
  return Promise.all(
    starts.map(async (request) => {
      const { headers } = await start.run(request)
      const state = new URL(headers.get("location") ?? "").searchParams.get("state") ?? ""
      const cookies = headers.getSetCookie().map((each) => each.split(";", 1)[0])
      const query = new URLSearchParams({ code, state })
      return new Request(`${redirectUri}?${query}`, { headers: { cookie: cookies.join("; ") } })
    }),
  )
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

const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
const tokenHeaders = { authorization, "content-type": formType }

/** Requests the tokens and verifies the ID token with a cached key. */
async function redeem(
  { fetch, publicKey }: IdentityProvider,
  codeVerifier: string,
  answeredCode: string,
): Promise<IdTokenClaims> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: answeredCode,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  }).toString()
  const response = await fetch(`${issuer}/token`, { method: "POST", headers: tokenHeaders, body })
  // The fixture's own token response.
  const { id_token: idToken } = (await response.json()) as { id_token: string }
  const signatureAt = idToken.lastIndexOf(".")
  const isSigned = verify(
    "sha256",
    Buffer.from(idToken.slice(0, signatureAt)),
    publicKey,
    Buffer.from(idToken.slice(signatureAt + 1), "base64url"),
  )
  const claims = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as IdTokenClaims
  const isValid = claims.iss === issuer && claims.aud === clientId && claims.exp * 1000 > Date.now()
  if (!isSigned || !isValid) throw new Error("Invalid ID token")
  return claims
}
