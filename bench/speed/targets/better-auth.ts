import { DatabaseSync } from "node:sqlite"
import { type BetterAuthOptions, betterAuth } from "better-auth"
import { memoryAdapter } from "better-auth/adapters/memory"
import { getMigrations } from "better-auth/db/migration"
import { createRequests, origin, password, secret, thirtyDaysSeconds, user } from "../fixtures/host.ts"
import type { Subject, Target } from "../scenario.ts"

const basePath = "/api/auth"
const cookieName = "__Secure-better-auth.session_token"

/** Without rate limits, telemetry and password hashing: the other targets do not pay for them either. */
const common = {
  baseURL: origin,
  basePath,
  secret,
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  session: { expiresIn: thirtyDaysSeconds },
  emailAndPassword: {
    enabled: true,
    password: { hash: async (text) => text, verify: async (typed) => typed.password === typed.hash },
  },
} satisfies BetterAuthOptions

interface Host {
  readonly handler: (request: Request) => Promise<Response>
}

function post(path: string, body: object): Request {
  const headers = { "content-type": "application/json", origin }
  return new Request(`${origin}${basePath}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
}

/** Signs the user up and returns the cookies. */
async function signUp({ handler }: Host): Promise<string> {
  const { name, email, image } = user
  const response = await handler(post("/sign-up/email", { name, email, image, password }))
  if (!response.ok) throw new Error(`better-auth rejected the sign-up: ${await response.text()}`)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ")
}

function readSession({ handler }: Host, cookie?: string): Subject<Request, Response> {
  const init = cookie === undefined ? {} : { headers: { cookie } }
  return {
    prepare: (count) => createRequests(count, `${origin}${basePath}/get-session`, init),
    run: (request) => handler(request),
  }
}

function createMemoryHost(options: BetterAuthOptions = {}): Host {
  const tables = { user: [], session: [], account: [], verification: [] }
  return betterAuth({ ...common, database: memoryAdapter(tables), ...options })
}

/** A host, and its session for the app's own code. */
export interface ServedAuth extends Host {
  readonly api: { getSession(request: { headers: Headers }): Promise<object | null> }
}

/** For a server on a port that is not known yet, with its user. */
export async function createServedAuth(): Promise<ServedAuth> {
  const tables = { user: [], session: [], account: [], verification: [] }
  const { baseURL: _, ...options } = common
  const host = betterAuth({
    ...options,
    basePath: "/auth",
    database: memoryAdapter(tables),
    session: { ...common.session, cookieCache },
    trustedOrigins: ["http://127.0.0.1:*"],
    advanced: { useSecureCookies: true },
  })
  const { name, email, image } = user
  const headers = { "content-type": "application/json", origin: "http://127.0.0.1:1" }
  const body = JSON.stringify({ name, email, image, password })
  const signedUp = await host.handler(
    new Request("http://127.0.0.1:1/auth/sign-up/email", { method: "POST", headers, body }),
  )
  if (!signedUp.ok) throw new Error(`better-auth rejected the sign-up: ${await signedUp.text()}`)
  return host
}

async function createSqliteHost(): Promise<Host> {
  const options = { ...common, database: new DatabaseSync(":memory:") }
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  return betterAuth(options)
}

/** Keeps the session in an encrypted cookie, with the lifetime of the other targets' sessions. */
const cookieCache = { enabled: true, maxAge: thirtyDaysSeconds, strategy: "jwe" } as const

async function openCredentials(): Promise<Subject<Request, Response>> {
  const host = createMemoryHost()
  await signUp(host)
  const body = { email: user.email, password }
  return {
    prepare: (count) => Array.from({ length: count }, () => post("/sign-in/email", body)),
    run: (request) => host.handler(request),
    expectedCookies: [cookieName],
    expectedStatus: 200,
  }
}

export const betterAuthTarget: Target = {
  "session-stateless": async () => {
    const host = createMemoryHost({ session: { ...common.session, cookieCache } })
    return readSession(host, await signUp(host))
  },
  "session-anonymous": async () => readSession(createMemoryHost()),
  "session-memory": async () => {
    const host = createMemoryHost()
    return readSession(host, await signUp(host))
  },
  "session-sqlite": async () => {
    const host = await createSqliteHost()
    return readSession(host, await signUp(host))
  },
  credentials: openCredentials,
}
