import type { Adapter } from "@latchkey/core/adapters"
import { encode } from "@latchkey/core/jwt"
import type { FakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { type IdentityServer, startIdentityServer } from "./identity-server.js"

/** A user to sign in without a form. */
export interface SignedInUser {
  /** Default: a random one. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** Default: `ada@example.com`. */
  readonly email?: string | undefined
  readonly image?: string | undefined
  /** Further claims of the token, as your `jwt` callback would set them. Ignored with an adapter. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** What the fixtures use of Playwright's `BrowserContext`. */
export interface PlaywrightContext {
  addCookies(cookies: PlaywrightCookie[]): Promise<void>
}

interface PlaywrightCookie {
  readonly name: string
  readonly value: string
  readonly url: string
  readonly httpOnly: boolean
  readonly sameSite: "Lax"
}

/** The fixtures and options of one test. */
export interface AuthFixtures {
  /** The `secret` of the app. Default: the environment variable `AUTH_SECRET`. */
  authSecret: string
  /** The adapter of an app with database sessions. Default: null, for JWT sessions. */
  authAdapter: Adapter | null
  /** Gives the browser the session of a user, without a page or a provider. `baseURL` has to be set. */
  signInAs: (user?: SignedInUser) => Promise<void>
  /** The identity provider, honest at the start of each test. */
  idp: FakeIdentityProvider
}

/** The fixtures and options of one worker. */
export interface AuthWorkerFixtures {
  /** The port of the identity provider on 127.0.0.1. Its issuer is `http://127.0.0.1:<port>`. Default: 4599. */
  idpPort: number
  /** The server of `idp`. */
  idpServer: IdentityServer
}

type Use<Value> = (value: Value) => Promise<void>
type Option<Value, Scope extends "test" | "worker"> = [Value, { option: true; scope: Scope }]

interface SignInSurroundings extends Pick<AuthFixtures, "authSecret" | "authAdapter"> {
  readonly context: PlaywrightContext
  readonly baseURL: string | undefined
}

/** The shape that Playwright's `test.extend` takes. */
interface AuthFixtureFunctions {
  authSecret: Option<string, "test">
  authAdapter: Option<Adapter | null, "test">
  signInAs: (surroundings: SignInSurroundings, use: Use<AuthFixtures["signInAs"]>) => Promise<void>
  idp: (surroundings: { readonly idpServer: IdentityServer }, use: Use<FakeIdentityProvider>) => Promise<void>
  idpPort: Option<number, "worker">
  idpServer: [
    (surroundings: { readonly idpPort: number }, use: Use<IdentityServer>) => Promise<void>,
    { scope: "worker" },
  ]
}

/**
 * Fixtures for Playwright: a session without a sign-in form, and an identity provider that misbehaves on demand.
 * @example
 * import { test as base } from "@playwright/test"
 * import { type AuthFixtures, type AuthWorkerFixtures, authFixtures } from "@latchkey/testkit/playwright"
 * export const test = base.extend<AuthFixtures, AuthWorkerFixtures>(authFixtures)
 */
export const authFixtures: AuthFixtureFunctions = {
  authSecret: [process.env["AUTH_SECRET"] ?? "", { option: true, scope: "test" }],
  authAdapter: [null, { option: true, scope: "test" }],
  signInAs: async ({ context, baseURL, authSecret, authAdapter }, use) => {
    await use(async (user = {}) => {
      if (baseURL === undefined)
        throw new Error("signInAs needs the address of the app. Set `use.baseURL` in playwright.config.ts")
      const name = new URL(baseURL).protocol === "https:" ? "__Secure-authjs.session-token" : "authjs.session-token"
      const value = authAdapter ? await storeSession(authAdapter, user) : await sealSession(authSecret, name, user)
      await context.addCookies([{ name, value, url: baseURL, httpOnly: true, sameSite: "Lax" }])
    })
  },
  idp: async ({ idpServer }, use) => {
    idpServer.reset()
    await use(idpServer.idp)
  },
  idpPort: [4599, { option: true, scope: "worker" }],
  idpServer: [
    async ({ idpPort }, use) => {
      const server = await startIdentityServer(idpPort)
      await use(server)
      await server.close()
    },
    { scope: "worker" },
  ],
}

const defaultEmail = "ada@example.com"

/** The token of a JWT session. */
function sealSession(secret: string, salt: string, user: SignedInUser): Promise<string> {
  if (secret === "")
    throw new Error(
      "signInAs needs the secret of the app. Set AUTH_SECRET in the environment of Playwright, or `use.authSecret`",
    )
  const { id = crypto.randomUUID(), name = null, email = defaultEmail, image = null, claims = {} } = user
  return encode({ secret, salt, token: { ...claims, sub: id, name, email, picture: image } })
}

/** A row in the table of sessions, for a user with this email who is created if missing. */
async function storeSession(adapter: Adapter, user: SignedInUser): Promise<string> {
  const { createUser, getUserByEmail, createSession } = adapter
  if (!createUser || !getUserByEmail || !createSession)
    throw new Error("signInAs needs an adapter with createUser, getUserByEmail and createSession")
  const { id = crypto.randomUUID(), name = null, email = defaultEmail, image = null } = user
  const found = await getUserByEmail(email)
  const { id: userId } = found ?? (await createUser({ id, name, email, image, emailVerified: new Date() }))
  const sessionToken = crypto.randomUUID()
  await createSession({ sessionToken, userId, expires: new Date(Date.now() + 24 * 60 * 60 * 1000) })
  return sessionToken
}
