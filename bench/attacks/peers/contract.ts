// What Latchkey and `@auth/core` share: both get the same configuration and the same store.

import type { AuthConfig } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { type Browser, createMailbox, memoryAdapter } from "@latchkey/testkit"
import {
  type App,
  type AppOptions,
  alicePassword,
  type KnownPerson,
  origin,
  readTarget,
  secret,
  type User,
  waitForMail,
} from "../app.ts"

type Service = (request: Request, config: AuthConfig) => Promise<Response>

/** What the library's documentation adds for production. */
interface Production extends Omit<Partial<AuthConfig>, "session"> {
  readonly session?: Pick<NonNullable<AuthConfig["session"]>, "track">
  /** What the app gives the library in place of its store. Default: the store. */
  readonly wrapStore?: (store: Adapter) => Adapter
}

/** An app, and its configuration for functions of the library that ask for it. */
export interface ContractApp extends App {
  readonly config: AuthConfig
}

export async function openContractApp(
  Auth: Service,
  { idp, session, alice, hasPassword }: AppOptions,
  { session: tracking, wrapStore = (given) => given, ...extra }: Production = {},
): Promise<ContractApp> {
  const mailbox = createMailbox()
  const store = memoryAdapter()
  const takesPasswords = session === "stateless" || hasPassword
  // A library that keeps records of sessions knows their users.
  if (tracking && takesPasswords) await store.createUser({ id: "1", email: "passwords@app.test", emailVerified: null })
  const [client] = idp.clients
  if (client === undefined) throw new Error("The provider has no client")
  const config: AuthConfig = {
    basePath: "/auth",
    secret,
    trustHost: true,
    adapter: wrapStore(store),
    session: { strategy: session === "stored" ? "database" : "jwt", ...tracking },
    logger: { error() {}, warn() {}, debug() {} },
    providers: [
      {
        id: "oidc",
        name: "Provider",
        type: "oidc",
        issuer: idp.issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        checks: ["pkce", "state", "nonce"],
      },
      {
        id: "email",
        name: "Email",
        type: "email",
        from: "no-reply@app.test",
        maxAge: 600,
        sendVerificationRequest: mailbox.sendVerificationRequest,
      },
      ...(takesPasswords ? [passwordsOf(alice)] : []),
    ],
    callbacks: { session: withId },
    ...extra,
  }
  const whoIs = async (browser: Browser): Promise<User | null> =>
    ((await (await browser.fetch("/auth/session")).json()) as { user?: User } | null)?.user ?? null

  return {
    config,
    handle: (request) => Auth(request, config),
    async startSignIn(browser, callbackUrl = `${origin}/`) {
      return readTarget(await post(browser, "/auth/signin/oidc", { callbackUrl }))
    },
    async mailLink(browser, email) {
      await post(browser, "/auth/signin/email", { email, callbackUrl: `${browser.origin}/` })
      return waitForMail(() => mailbox.messages.findLast(({ to }) => to === email)?.url)
    },
    async signInWithPassword(browser, email, password) {
      await post(browser, "/auth/callback/credentials", { email, password, callbackUrl: `${origin}/` })
      return (await whoIs(browser)) !== null
    },
    whoIs,
    async signOut(browser) {
      await post(browser, "/auth/signout", {})
    },
    forgeSignOut: () => ({ path: "/auth/signout", fields: { callbackUrl: `${origin}/` } }),
    openPath: "/auth/signin/email",
    sessionCookie: "__Secure-authjs.session-token",
    leakedTokens: () =>
      store.calls.flatMap(({ method, args: [created, options] }) => {
        if (method === "createSession") return [(created as { sessionToken: string }).sessionToken]
        // The row of a session that has a record.
        const session =
          method === "createSessionDetail" ? (options as { session?: { sessionToken: string } }).session : undefined
        return session ? [session.sessionToken] : []
      }),
  }
}

const passwordsOf = ({ email: known }: KnownPerson): AuthConfig["providers"][number] => ({
  id: "credentials",
  name: "Password",
  type: "credentials",
  credentials: { email: {}, password: { type: "password" } },
  authorize: ({ email, password }) =>
    email === known && password === alicePassword ? { id: "1", email: known } : null,
})

/** Adds the id of the user, as the documentation of both shows. */
const withId: NonNullable<NonNullable<AuthConfig["callbacks"]>["session"]> = ({ session, user, token }) => ({
  ...session,
  user: { ...session.user, id: user?.id ?? token?.sub ?? "" },
})

/** Posts a form as the client libraries do, with a CSRF token of the browser. */
export async function post(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = new URLSearchParams({ ...fields, csrfToken: await browser.csrfToken() })
  return browser.fetch(path, { method: "POST", body, headers: { "x-auth-return-redirect": "1" } })
}
