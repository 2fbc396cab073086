import { DatabaseSync } from "node:sqlite"
import { authenticatorApp, type Browser, type FakeIdentityProvider } from "@latchkey/testkit"
import { type BetterAuthOptions, betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { genericOAuth, magicLink, twoFactor } from "better-auth/plugins"
import {
  type App,
  type AppOptions,
  alicePassword,
  origin,
  type Peer,
  proxyAddress,
  readTarget,
  secret,
  type User,
  waitForMail,
} from "../app.ts"

/** Names the instance of the app that answers. */
const instanceHeader = "x-instance"

function expectInstance(instance: number): never {
  throw new Error(`There is no instance ${instance}`)
}

type Handler = (request: Request) => Promise<Response>

export const betterAuthPeer: Peer = {
  id: "better-auth",
  packageName: "better-auth",
  lacks: {},
  open: openApp,
}

/** What every app of better-auth has here. */
export const commonOptions = {
  baseURL: origin,
  basePath: "/auth",
  secret,
  telemetry: { enabled: false },
  logger: { disabled: true },
  rateLimit: { enabled: true },
  advanced: { useSecureCookies: true, ipAddress: { trustedProxies: [proxyAddress] } },
} satisfies BetterAuthOptions

/** The plugin for sign-ins at the provider. */
export function openIdProvider({ clients: [client], issuer }: FakeIdentityProvider): ReturnType<typeof genericOAuth> {
  if (client === undefined) throw new Error("The provider has no client")
  return genericOAuth({
    config: [
      {
        providerId: "oidc",
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        authentication: "basic",
        scopes: ["openid", "email", "profile"],
        pkce: true,
        requireIdTokenVerification: true,
      },
    ],
  })
}

async function openApp({ idp, session, alice, hasPassword }: AppOptions): Promise<App> {
  const links = new Map<string, string>()
  const database = new DatabaseSync(":memory:")
  const options = {
    ...commonOptions,
    ...(session === "stored" && { database }),
    emailAndPassword: { enabled: true },
    plugins: [
      openIdProvider(idp),
      magicLink({
        storeToken: "hashed",
        sendMagicLink: ({ email, url }) => void links.set(email, url),
      }),
      twoFactor({ issuer: "Compare" }),
    ],
  } satisfies BetterAuthOptions
  if (session === "stored") await (await getMigrations(options)).runMigrations()
  const first = betterAuth(options)
  const handlers = [first, betterAuth(options), betterAuth(options)].map((instance) => instance.handler)
  const handler: Handler = (request) => {
    const instance = Number(request.headers.get(instanceHeader) ?? 0)
    return (handlers[instance] ?? expectInstance(instance))(request)
  }
  // By the server's function, which throws. A request without a network counts against one limit for all apps.
  if (hasPassword) {
    await first.api.signUpEmail({ body: { name: alice.name, email: alice.email, password: alicePassword } })
  }
  return toApp(handler, links, () =>
    database
      .prepare("SELECT token FROM session")
      .all()
      .map(({ token }) => String(token)),
  )
}

function toApp(handler: Handler, links: ReadonlyMap<string, string>, leakedTokens: App["leakedTokens"]): App {
  return {
    handle: handler,
    async startSignIn(browser, callbackUrl = `${origin}/`) {
      return readTarget(await post(browser, "/sign-in/social", { provider: "oidc", callbackURL: callbackUrl }))
    },
    async mailLink(browser, email) {
      await post(browser, "/sign-in/magic-link", { email, callbackURL: `${browser.origin}/` })
      return waitForMail(() => links.get(email))
    },
    async signInWithPassword(browser, email, password) {
      return (await post(browser, "/sign-in/email", { email, password })).ok
    },
    whoIs,
    async signOut(browser) {
      await post(browser, "/sign-out", {})
    },
    forgeSignOut: () => ({ path: "/auth/sign-out", fields: {} }),
    openPath: "/auth/sign-in/email",
    sessionCookie: "__Secure-better-auth.session_token",
    leakedTokens,
    totp: {
      async enroll(browser, password) {
        const { totpURI } = (await (await post(browser, "/two-factor/enable", { password })).json()) as {
          totpURI: string
        }
        const { code } = authenticatorApp(new URL(totpURI).searchParams.get("secret") ?? "")
        await post(browser, "/two-factor/verify-totp", { code: await code() })
        return code
      },
      async verify(browser, code) {
        return (await post(browser, "/two-factor/verify-totp", { code })).ok
      },
    },
    async refresh(browser, instance = 0) {
      const accounts = (await (await browser.fetch("/auth/list-accounts")).json()) as readonly { id: string }[]
      const headers = { [instanceHeader]: String(instance) }
      return (await post(browser, "/get-access-token", { accountId: accounts[0]?.id }, headers)).ok
    },
  }
}

const post = (browser: Browser, path: string, json: object, headers: Record<string, string> = {}): Promise<Response> =>
  browser.fetch(`/auth${path}`, { method: "POST", json, headers })

async function whoIs(browser: Browser): Promise<User | null> {
  const found = (await (await browser.fetch("/auth/get-session")).json()) as { user: User } | null
  return found?.user ?? null
}
