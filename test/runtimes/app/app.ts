// The app that runs on every runtime: plain handlers without a framework, and Hono.
import { Auth, type AuthConfig } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import Passkey from "@latchkey/core/providers/passkey"
import { HonoAuth } from "@latchkey/hono"
import { authkitNextjs } from "@latchkey/import/authkit-nextjs"
import { betterAuth } from "@latchkey/import/better-auth"
import { clerk } from "@latchkey/import/clerk"
import { cookieSession } from "@latchkey/import/cookie-session"
import { ironSession } from "@latchkey/import/iron-session"
import { nextAuthV4 } from "@latchkey/import/next-auth-v4"
import { nextjsAuth0 } from "@latchkey/import/nextjs-auth0"
import { supabase } from "@latchkey/import/supabase"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { Hono } from "hono"
import { createStorage } from "unstorage"
import { moved, type ProviderSettings, type Settings, user } from "./settings.ts"

/** What a server knows about a connection. */
export interface Connection {
  readonly clientAddress: string | undefined
  /** What the server passes to `app.fetch` of Hono. */
  readonly bindings?: unknown
}

export type App = (request: Request, connection: Connection) => Promise<Response>

/**
 * Creates the app. Runs once for each process or isolate.
 * @param addressHeader The header in which the platform sends the address of the client, where the app sees no socket.
 */
export function createApp(settings: Settings, addressHeader?: string): App {
  const services = new Map(createConfigs(settings).map((config) => [config.basePath, config]))
  const clientAddress = addressHeader && ((request: Request) => request.headers.get(addressHeader) ?? undefined)
  const hono = new Hono().use(HonoAuth({ ...limited("/hono", settings), ...(clientAddress && { clientAddress }) }))
  return async (request, connection) => {
    const base = `/${new URL(request.url).pathname.split("/")[1]}`
    if (base === "/hono") return hono.fetch(request, connection.bindings as object | undefined)
    const config = services.get(base)
    return config
      ? Auth(request, config, connection)
      : new Response("Home", { headers: { "content-type": "text/plain" } })
  }
}

function createConfigs(settings: Settings): AuthConfig[] {
  const shared = { secret: settings.secret, trustHost: true, logger: { debug: () => {} } }
  const providers = [password(), ...settings.providers.map(toProvider)]
  return [
    { ...shared, basePath: "/auth", providers },
    {
      ...shared,
      basePath: "/stored",
      adapter: UnstorageAdapter(createStorage(), { acceptReplays: true }),
      session: { strategy: "database" },
      providers: [...settings.providers.map(toProvider), mail(settings.mailUrl), Passkey()],
    },
    { ...shared, basePath: "/moved", providers, session: { accept: readers(settings) } },
    limited("/limited", settings),
  ]
}

/** Those that need no store. */
function readers({ moved: keys }: Settings): NonNullable<NonNullable<AuthConfig["session"]>["accept"]> {
  const until = new Date(Date.now() + 30 * 86_400_000)
  return [
    nextAuthV4({ secret: moved.nextAuth, until }),
    betterAuth({ secret: moved.betterAuth, until }),
    nextjsAuth0({ secret: moved.auth0, until }),
    clerk({ issuer: moved.clerk, authorizedParties: [moved.origin], jwtKey: keys.clerk, until }),
    supabase({ url: moved.supabase, jwks: { keys: [keys.supabase] }, until }),
    cookieSession({ secret: moved.cookieSession, until }),
    ironSession({ password: moved.ironSession, cookie: "app_session", until }),
    authkitNextjs({ password: moved.authkit, until }),
  ]
}

function limited(basePath: string, { secret }: Settings): AuthConfig {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const
  return {
    secret: `${secret} of ${basePath}`,
    trustHost: true,
    basePath,
    rateLimit,
    providers: [oidc],
    logger: { error: () => {} },
  }
}

function password() {
  return Credentials({
    credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
    authorize: (given) =>
      given.username === user.username && given.password === user.password ? { id: "1815", name: user.name } : null,
  })
}

function toProvider({
  id,
  type,
  issuer,
  clientId,
  clientSecret,
  alg,
}: ProviderSettings): AuthConfig["providers"][number] {
  if (type === "oidc") {
    const checks: ("pkce" | "state" | "nonce")[] = ["pkce", "state", "nonce"]
    return { id, name: id, type, issuer, clientId, clientSecret, checks, client: { id_token_signed_response_alg: alg } }
  }
  return {
    ...{ id, name: id, type, issuer, clientId, clientSecret },
    authorization: { url: `${issuer}/authorize`, params: { scope: "profile email" } },
    token: `${issuer}/token`,
    userinfo: `${issuer}/userinfo`,
  }
}

function mail(mailUrl: string): AuthConfig["providers"][number] {
  return {
    id: "email",
    name: "Email",
    type: "email",
    from: "no-reply@app.test",
    async sendVerificationRequest({ identifier, url }) {
      const body = JSON.stringify({ to: identifier, url })
      const response = await fetch(mailUrl, { method: "POST", body, headers: { "content-type": "application/json" } })
      if (!response.ok) throw new Error(`The mail service answered ${response.status}`)
    },
  }
}
