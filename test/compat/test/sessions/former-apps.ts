import { createRequire } from "node:module"
import { DatabaseSync } from "node:sqlite"
import { betterAuth as readBetterAuth } from "@latchkey/import/better-auth"
import { hasProgram } from "@latchkey/testkit/servers"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { getIronSession } from "iron-session"
import { type Adapter, Lucia } from "lucia"
import { getToken } from "next-auth4/jwt"
import { vi } from "vitest"
import { acceptOfPage } from "./code-of-page.js"
import { address, type Former, isRight, openApp, openAppWithForm, password, secret, toPage, until } from "./former.js"
import { openAuth0, openSupabase } from "./former-hosted.js"
import {
  openCookieSession,
  openFileSessions,
  openLuciaOnPostgres,
  openPassport,
  openPostgresSessions,
  openRedisSessions,
} from "./former-stores.js"

const require = createRequire(import.meta.url)

const readCookies = (header = ""): Record<string, string> =>
  Object.fromEntries(
    header
      .split("; ")
      .map((pair) => [pair.split("=", 1)[0] ?? "", decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]),
  )

// CommonJS, whose types name the module as the function.
const NextAuth: typeof import("next-auth4").default = require("next-auth4").default
const Credentials: typeof import("next-auth4/providers/credentials").default =
  require("next-auth4/providers/credentials").default

async function openNextAuth(origin: string): Promise<Former> {
  // It stays set for our app.
  vi.stubEnv("NEXTAUTH_URL", origin)
  const options = {
    secret,
    providers: [
      Credentials({
        credentials: { username: {}, password: { type: "password" } },
        authorize: (fields) => (isRight(fields) ? { id: "user-1", name: "Ada Lovelace", email: address } : null),
      }),
    ],
  }
  const app = openApp()
  app.get("/login", (_, res) => res.redirect("/api/auth/signin"))
  app.use("/api/auth", (req, res) => {
    const query = { ...req.query, nextauth: req.path.slice(1).split("/") }
    Object.defineProperty(req, "query", { value: query })
    Object.defineProperty(req, "cookies", { value: readCookies(req.headers.cookie) })
    return NextAuth(req, res, options)
  })
  app.get("/", async (req, res) => {
    Object.defineProperty(req, "cookies", { value: readCookies(req.headers.cookie) })
    // as: the types are those of Next.
    const token = await getToken({ req: req as never, secret, secureCookie: false })
    res.send(toPage(token?.email))
  })
  return {
    app,
    accept: await acceptOfPage("next-auth-v4", { NEXTAUTH_SECRET: secret }),
    userId: "user-1",
    cookie: "next-auth.session-token",
    isStateless: true,
  }
}

/** Lucia's adapter for the `node:sqlite` of Node. Its own needs a native module. */
function toLuciaAdapter(database: DatabaseSync): Adapter {
  const toSession = (row: Record<string, unknown>) => ({
    id: String(row["id"]),
    userId: String(row["user_id"]),
    expiresAt: new Date(Number(row["expires_at"]) * 1000),
    attributes: {},
  })
  const run = async (text: string, ...values: (string | number)[]) => void database.prepare(text).run(...values)
  const toSeconds = (date: Date) => Math.floor(date.valueOf() / 1000)
  return {
    async getSessionAndUser(id) {
      const row = database.prepare("SELECT * FROM session WHERE id = ?").get(id)
      return row ? [toSession(row), { id: String(row["user_id"]), attributes: {} }] : [null, null]
    },
    getUserSessions: async (id) => database.prepare("SELECT * FROM session WHERE user_id = ?").all(id).map(toSession),
    setSession: ({ id, userId, expiresAt }) =>
      run("INSERT INTO session VALUES (?, ?, ?)", id, toSeconds(expiresAt), userId),
    updateSessionExpiration: (id, date) => run("UPDATE session SET expires_at = ? WHERE id = ?", toSeconds(date), id),
    deleteSession: (id) => run("DELETE FROM session WHERE id = ?", id),
    deleteUserSessions: (id) => run("DELETE FROM session WHERE user_id = ?", id),
    deleteExpiredSessions: () => run("DELETE FROM session WHERE expires_at <= ?", toSeconds(new Date())),
  }
}

const countRows = (database: DatabaseSync) => () =>
  Number(database.prepare("SELECT count(*) AS count FROM session").get()?.["count"])

async function openLucia(): Promise<Former> {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE session (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, user_id TEXT NOT NULL)")
  const adapter = toLuciaAdapter(database)
  const lucia = new Lucia(adapter, { sessionCookie: { attributes: { secure: false } } })
  const app = openAppWithForm()
  app.post("/login", async (req, res) => {
    if (!isRight(req.body)) return void res.redirect("/login")
    const { id } = await lucia.createSession("lucia-user", {})
    res.append("set-cookie", lucia.createSessionCookie(id).serialize()).redirect("/")
  })
  app.get("/", async (req, res) => {
    const id = lucia.readSessionCookie(req.headers.cookie ?? "")
    const { user } = id === null ? { user: null } : await lucia.validateSession(id)
    res.send(toPage(user && address))
  })
  const accept = await acceptOfPage("lucia", {}, { adapter })
  return { app, accept, userId: "lucia-user", cookie: "auth_session", countSessions: countRows(database) }
}

async function openBetterAuth(origin: string): Promise<Former> {
  const database = new DatabaseSync(":memory:")
  const options = {
    baseURL: origin,
    secret,
    database,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
  }
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const { user } = await auth.api.signUpEmail({ body: { email: address, password, name: "Ada Lovelace" } })
  database.exec("DELETE FROM session")
  const app = openAppWithForm()
  app.post("/login", async (req, res) => {
    const body = { email: String(req.body.username), password: String(req.body.password) }
    const answer = await auth.api.signInEmail({ body, asResponse: true })
    res.append("set-cookie", answer.headers.getSetCookie()).redirect("/")
  })
  app.get("/", async (req, res) => {
    const found = await auth.api.getSession({ headers: new Headers({ cookie: req.headers.cookie ?? "" }) })
    res.send(toPage(found?.user.email))
  })
  const { internalAdapter } = await auth.$context
  const accept = [
    readBetterAuth({
      secret,
      find: (token) => internalAdapter.findSession(token),
      end: (token) => internalAdapter.deleteSession(token),
      until,
    }),
  ]
  return { app, accept, userId: user.id, cookie: "better-auth.session_token", countSessions: countRows(database) }
}

async function openIronSession(): Promise<Former> {
  const options = { password: secret, cookieName: "app_session", cookieOptions: { secure: false } }
  const app = openAppWithForm()
  app.post("/login", async (req, res) => {
    const opened = await getIronSession<{ userId?: string }>(req, res, options)
    if (isRight(req.body)) opened.userId = "iron-user"
    await opened.save()
    res.redirect("/")
  })
  app.get("/", async (req, res) => {
    const { userId } = await getIronSession<{ userId?: string }>(req, res, options)
    res.send(toPage(userId && address))
  })
  return {
    app,
    accept: await acceptOfPage("iron-session", { SESSION_PASSWORD: secret }),
    userId: "iron-user",
    cookie: "app_session",
  }
}

export type FormerApps = Readonly<Record<string, (origin: string) => Former | Promise<Former>>>

/** One of each kind: a session in the cookie, in a database, and in a store of Express. */
export const usualApps: FormerApps = {
  "next-auth 4": openNextAuth,
  "Better Auth": openBetterAuth,
  "express-session and Passport": openPassport,
}

export const otherApps: FormerApps = {
  Lucia: openLucia,
  ...(hasProgram("postgres") && { "Lucia with its adapter for PostgreSQL": openLuciaOnPostgres }),
  ...(hasProgram("redis-server") && { "express-session in Redis": openRedisSessions }),
  ...(hasProgram("postgres") && { "express-session in PostgreSQL": openPostgresSessions }),
  "express-session in files": openFileSessions,
  "cookie-session and Passport": openCookieSession,
  "iron-session": openIronSession,
  "express-openid-connect": openAuth0,
  "Supabase with a secret": () => openSupabase("HS256"),
  "Supabase with signing keys": () => openSupabase("ES256"),
}
