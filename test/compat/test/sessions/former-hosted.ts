import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import { expressOpenidConnect } from "@latchkey/import/express-openid-connect"
import { findFreePort } from "@latchkey/testkit/servers"
import { createServerClient, parseCookieHeader, serializeCookieHeader } from "@supabase/ssr"
import type { Request, RequestHandler, Response } from "express"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import { acceptOfPage } from "./code-of-page.js"
import { address, type Former, isRight, openApp, openAppWithForm, password, secret, toPage, until } from "./former.js"
import { logInAtProvider, openIdentityProvider } from "./identity-provider.js"

const require = createRequire(import.meta.url)

interface Visit {
  readonly oidc: { readonly user?: { readonly email?: string } }
}
// as: its types need those of express 4.
const { auth } = require("express-openid-connect") as { readonly auth: (options: object) => RequestHandler }

export async function openAuth0(origin: string): Promise<Former> {
  const provider = await openIdentityProvider([`${origin}/callback`], { logoutUris: [origin] })
  const app = openApp()
  app.use(
    auth({
      authRequired: false,
      baseURL: origin,
      issuerBaseURL: provider.issuer,
      clientID: provider.clientId,
      clientSecret: provider.clientSecret,
      secret,
      authorizationParams: { response_type: "code", scope: "openid profile email" },
    }),
  )
  // as: the middleware has added it.
  app.get("/", (req, res) => void res.send(toPage((req as Request & Visit).oidc.user?.email)))
  return {
    app,
    accept: [expressOpenidConnect({ secret, owner: { provider: "auth0" }, until })],
    userId: "auth0-user",
    account: { provider: "auth0", providerAccountId: address },
    cookie: "appSession",
    logIn: (page) => logInAtProvider(page, address),
    close: provider.stop,
  }
}

const supabaseUser = {
  id: "0e8b4c52-6f0e-4f8a-9d0b-5a1f6a8f2a11",
  aud: "authenticated",
  role: "authenticated",
  email: address,
  app_metadata: { provider: "email", providers: ["email"] },
  user_metadata: { name: "Ada Lovelace" },
  created_at: new Date(0).toISOString(),
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString() || "{}")
}

/** Signs as a project does: with its secret, or with a key that it publishes. */
async function createSigner(algorithm: "HS256" | "ES256") {
  if (algorithm === "HS256") return { key: new TextEncoder().encode(secret), keys: [] }
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  return { key: privateKey, keys: [{ ...(await exportJWK(publicKey)), alg: algorithm, kid: "k1", use: "sig" }] }
}

/** Answers as GoTrue does to a login with a password. */
async function openGoTrue(algorithm: "HS256" | "ES256") {
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const { key, keys } = await createSigner(algorithm)
  const sign = (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: "k1" }).sign(key)
  async function logIn(fields: Record<string, unknown>) {
    if (fields["email"] !== address || fields["password"] !== password)
      return { code: 400, error_code: "invalid_credentials" }
    const now = Math.floor(Date.now() / 1000)
    const { id: sub, aud, role, email, app_metadata, user_metadata } = supabaseUser
    const times = { iat: now, exp: now + 3600 }
    const facts = { aal: "aal1", amr: [{ method: "password", timestamp: now }], session_id: crypto.randomUUID() }
    const claims = { iss: `${url}/auth/v1`, sub, aud, role, email, app_metadata, user_metadata, is_anonymous: false }
    const access_token = await sign({ ...claims, ...times, ...facts })
    return {
      access_token,
      token_type: "bearer",
      expires_in: 3600,
      expires_at: times.exp,
      refresh_token: "a-refresh-token",
      user: supabaseUser,
    }
  }
  const answers: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
    "/auth/v1/token": async (request) => logIn(await readBody(request)),
    "/auth/v1/user": () => supabaseUser,
    "/auth/v1/.well-known/jwks.json": () => ({ keys }),
  }
  const server = createServer(async (request, response) => {
    const answer = await answers[new URL(request.url ?? "", url).pathname]?.(request)
    response.writeHead(answer === undefined || Reflect.has(answer as object, "error_code") ? 400 : 200, {
      "content-type": "application/json",
    })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, close }
}

/** An app with `@supabase/ssr`, as its guide for Express has it. */
export async function openSupabase(algorithm: "HS256" | "ES256"): Promise<Former> {
  const { url, close } = await openGoTrue(algorithm)
  const open = (req: Request, res: Response) =>
    createServerClient(url, "the public key of the project", {
      cookies: {
        getAll: () => parseCookieHeader(req.headers.cookie ?? "").map(({ name, value = "" }) => ({ name, value })),
        setAll(cookies) {
          for (const { name, value, options } of cookies) {
            res.append("set-cookie", serializeCookieHeader(name, value, options))
          }
        },
      },
    })
  const app = openAppWithForm()
  app.post("/login", async (req, res) => {
    const { username, password: given } = req.body
    if (isRight(req.body)) await open(req, res).auth.signInWithPassword({ email: username, password: given })
    res.redirect("/")
  })
  app.get("/", async (req, res) => {
    const { data } = await open(req, res).auth.getUser()
    res.send(toPage(data.user?.email))
  })
  const environment = { NEXT_PUBLIC_SUPABASE_URL: url, ...(algorithm === "HS256" && { SUPABASE_JWT_SECRET: secret }) }
  return {
    app,
    accept: await acceptOfPage("supabase", environment),
    userId: supabaseUser.id,
    cookie: "sb-localhost-auth-token",
    close,
  }
}
