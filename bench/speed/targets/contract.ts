// What this project and `@auth/core` share: both get the same configuration, requests and adapters.
import { randomBytes } from "node:crypto"
import type { AuthConfig } from "@latchkey/core"
import type { AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import type { GetTokenParams, JWT, JWTDecodeParams, JWTEncodeParams } from "@latchkey/core/jwt"
import {
  createRequests,
  csrfCookieName,
  findByPassword,
  origin,
  password,
  secret,
  sessionCookieName,
  tenProviders,
  thirtyDaysSeconds,
  toClaims,
  user,
} from "../fixtures/host.ts"
import { clientId, clientSecret, code, createIdentityProvider, issuer } from "../fixtures/identity-provider.ts"
import type { Subject, Target } from "../scenario.ts"

/** The public functions of the contract. */
export interface ContractLibrary {
  Auth(request: Request, config: AuthConfig): Promise<Response>
  encode(params: JWTEncodeParams): Promise<string>
  decode(params: JWTDecodeParams): Promise<JWT | null>
  getToken(params: GetTokenParams<false>): Promise<JWT | null>
  /** The key of a provider's own `fetch`. */
  readonly customFetch: symbol
}

export type WebSubject = Promise<Subject<Request, Response>>

export function contractTarget(library: ContractLibrary): Target {
  return {
    "session-stateless": () => openStatelessSession(library),
    "session-edge": () => openStatelessSession(library),
    "session-large-config": () => openLargeConfig(library, "hundred"),
    "session-new-config": () => openLargeConfig(library, "new"),
    "session-one-config": () => openLargeConfig(library, "one"),
    "session-anonymous": async () => openGet(library, "session"),
    "session-memory": () => openStoredSession(library, createMemoryStore()),
    "session-sqlite": async () => {
      const { sqlite } = await import("@latchkey/kysely-adapter/sqlite")
      return openStoredSession(library, sqlite(":memory:"))
    },
    csrf: async () => ({ ...openGet(library, "csrf"), expectedCookies: [csrfCookieName] }),
    providers: async () => openGet(library, "providers", { ...common, providers: [...tenProviders] }),
    "signin-page": async () => openGet(library, "signin", { ...common, providers: [...tenProviders] }),
    credentials: () => openCredentials(library),
    "oauth-start": () => openOAuthStart(library),
    "oidc-callback": () => openOidcCallback(library),
    encode: () => openEncode(library),
    decode: () => openDecode(library),
    "get-token": () => openGetToken(library),
  }
}

const common: AuthConfig = { providers: [], secret, trustHost: true }
const tokenParams = { token: toClaims(user), secret, salt: sessionCookieName }

/** `GET /auth/<action>` without cookies. */
function openGet({ Auth }: ContractLibrary, action: string, config: AuthConfig = common): Subject<Request, Response> {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/${action}`),
    run: (request) => Auth(request, config),
  }
}

function openSession({ Auth }: ContractLibrary, token: string, config: AuthConfig): Subject<Request, Response> {
  const headers = { cookie: `${sessionCookieName}=${token}` }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/session`, { headers }),
    run: (request) => Auth(request, config),
    expectedCookies: [sessionCookieName],
  }
}

async function openStatelessSession(library: ContractLibrary): WebSubject {
  return openSession(library, await library.encode(tokenParams), common)
}

/** A session check with a hundred providers and all callbacks and events, or with ten in a new configuration each time. */
/** @param kind A new object with ten providers for each request, one with ten, or one with a hundred */
async function openLargeConfig(library: ContractLibrary, kind: "new" | "one" | "hundred"): WebSubject {
  const token = await library.encode(tokenParams)
  const create = (providers: AuthConfig["providers"]): AuthConfig => ({
    ...common,
    providers,
    callbacks: {
      signIn: () => true,
      redirect: ({ baseUrl }) => baseUrl,
      jwt: ({ token: claims }) => claims,
      session: ({ session }) => session,
    },
    events: { signIn() {}, signOut() {}, createUser() {}, updateUser() {}, linkAccount() {}, session() {} },
  })
  if (kind === "one") return openSession(library, token, create([...tenProviders]))
  if (kind === "new") {
    const subject = openSession(library, token, common)
    const createTen = () => create(tenProviders.map((provider) => ({ ...provider })))
    return { ...subject, run: (request) => library.Auth(request, createTen()) }
  }
  const numbers = Array.from({ length: 10 }, (_, n) => n)
  const hundred = tenProviders.flatMap((provider) => numbers.map((n) => ({ ...provider, id: `${provider.id}-${n}` })))
  return openSession(library, token, create(hundred))
}

async function openStoredSession(library: ContractLibrary, adapter: ContractStore): WebSubject {
  const sessionToken = randomBytes(32).toString("hex")
  const created = await adapter.createUser?.({ ...user, emailVerified: null })
  if (!created) throw new Error("The adapter cannot create users")
  const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
  await adapter.createSession?.({ sessionToken, userId: created.id, expires })
  return openStoredSessions(library, adapter, () => sessionToken)
}

/** Session checks, each with the next token. */
export function openStoredSessions(
  { Auth }: ContractLibrary,
  adapter: ContractStore,
  nextToken: () => string,
): Subject<Request, Response> {
  const config: AuthConfig = { ...common, adapter, session: { strategy: "database" } }
  const createRequest = () =>
    new Request(`${origin}/auth/session`, { headers: { cookie: `${sessionCookieName}=${nextToken()}` } })
  return {
    prepare: (count) => Array.from({ length: count }, createRequest),
    run: (request) => Auth(request, config),
    expectedCookies: [sessionCookieName],
  }
}

export type ContractStore = NonNullable<AuthConfig["adapter"]>

/** The adapter methods that stored sessions need, backed by two maps. Returns copies, as a database does. */
function createMemoryStore(): ContractStore {
  const users = new Map<string, AdapterUser>()
  const sessions = new Map<string, AdapterSession>()
  return {
    createUser: async (user) => {
      users.set(user.id, { ...user })
      return { ...user }
    },
    getUser: async (id) => users.get(id) ?? null,
    getUserByEmail: async (email) => [...users.values()].find((user) => user.email === email) ?? null,
    getUserByAccount: async () => null,
    updateUser: async () => {
      throw new Error("No scenario updates a user")
    },
    linkAccount: async (account) => account,
    createSession: async (session) => {
      sessions.set(session.sessionToken, { ...session })
      return { ...session }
    },
    getSessionAndUser: async (sessionToken) => {
      const session = sessions.get(sessionToken)
      const user = session && users.get(session.userId)
      return session && user ? { session: { ...session }, user: { ...user } } : null
    },
    updateSession: async () => {
      throw new Error("No scenario has a session old enough to be extended")
    },
    deleteSession: async (sessionToken) => {
      sessions.delete(sessionToken)
    },
  }
}

async function openEncode({ encode }: ContractLibrary): Promise<Subject<object, string>> {
  return { prepare: (count) => Array.from({ length: count }, () => tokenParams), run: () => encode(tokenParams) }
}

async function openDecode({ encode, decode }: ContractLibrary): Promise<Subject> {
  const token = await encode(tokenParams)
  return {
    prepare: (count) => Array.from({ length: count }, () => token),
    run: () => decode({ token, secret, salt: sessionCookieName }),
  }
}

async function openGetToken({ encode, getToken }: ContractLibrary): Promise<Subject<Request>> {
  const headers = { cookie: `${sessionCookieName}=${await encode(tokenParams)}` }
  return {
    prepare: (count) => createRequests(count, origin, { headers }),
    run: (req) => getToken({ req, secret, secureCookie: true }),
  }
}

async function openCredentials(library: ContractLibrary): WebSubject {
  const config: AuthConfig = {
    ...common,
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { email: {}, password: {} },
        authorize: async (fields) => findByPassword(fields),
      },
    ],
    // The peers do not count attempts, and one client makes all of these.
    rateLimit: false,
  }
  const init = toFormPost(await readCsrfPair(library, config), { email: user.email, password })
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/callback/credentials`, init),
    run: (request) => library.Auth(request, config),
    expectedCookies: [sessionCookieName],
  }
}

const oauthSignInUrl = `${origin}/auth/signin/idp`

/** One OpenID Connect provider, with PKCE and `state`. */
function createOidcConfig({ customFetch }: ContractLibrary): AuthConfig {
  const provider = { id: "idp", name: "Identity", type: "oidc", issuer, clientId, clientSecret } as const
  const hook = { [customFetch]: createIdentityProvider().fetch }
  return { ...common, providers: [{ ...provider, checks: ["pkce", "state"], ...hook }], rateLimit: false }
}

async function openOAuthStart(library: ContractLibrary): WebSubject {
  const config = createOidcConfig(library)
  const init = toFormPost(await readCsrfPair(library, config))
  return {
    prepare: (count) => createRequests(count, oauthSignInUrl, init),
    run: (request) => library.Auth(request, config),
    expectedCookies: ["__Secure-authjs.state", "__Secure-authjs.pkce.code_verifier"],
  }
}

export async function openOidcCallback(library: ContractLibrary, adapter?: ContractStore): WebSubject {
  const config = { ...createOidcConfig(library), ...(adapter && { adapter }) }
  const pair = await readCsrfPair(library, config)
  const init = toFormPost(pair)

  /** Begins a flow and returns its callback: a flow completes only once. */
  async function prepareCallback(): Promise<Request> {
    const started = await library.Auth(new Request(oauthSignInUrl, init), config)
    const state = new URL(started.headers.get("location") ?? "").searchParams.get("state") ?? ""
    const cookies = started.headers.getSetCookie().map((each) => each.split(";", 1)[0])
    const query = new URLSearchParams({ code, state })
    return new Request(`${origin}/auth/callback/idp?${query}`, {
      headers: { cookie: [pair.cookie, ...cookies].join("; ") },
    })
  }

  return {
    prepare: (count) => Promise.all(Array.from({ length: count }, prepareCallback)),
    run: (request) => library.Auth(request, config),
    expectedCookies: [sessionCookieName],
  }
}

/** The CSRF cookie of a browser that has loaded a form, and the token in that form. */
interface CsrfPair {
  readonly cookie: string
  readonly csrfToken: string
}

export async function readCsrfPair({ Auth }: Pick<ContractLibrary, "Auth">, config: AuthConfig): Promise<CsrfPair> {
  const response = await Auth(new Request(`${origin}/auth/csrf`), config)
  // The contract's answer; with any other, the sign-ins that follow fail.
  const { csrfToken } = (await response.json()) as { csrfToken: string }
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0] ?? "")
    .filter((each) => each.startsWith(csrfCookieName))
    .join("; ")
  return { cookie, csrfToken }
}

export function toFormPost(
  { cookie, csrfToken }: CsrfPair,
  fields: Readonly<Record<string, string>> = {},
): RequestInit {
  const headers = { "content-type": "application/x-www-form-urlencoded", origin, cookie }
  return { method: "POST", headers, body: new URLSearchParams({ csrfToken, ...fields }).toString() }
}
