import { createRequire } from "node:module"
import { DatabaseSync } from "node:sqlite"
import type { AcceptedSource } from "@latchkey/core/types"
import { betterAuth as readBetterAuth } from "@latchkey/import/better-auth"
import { type ExpressSessionOptions, expressSession as readExpressSession } from "@latchkey/import/express-session"
import { ironSession as readIronSession } from "@latchkey/import/iron-session"
import { lucia as readLucia } from "@latchkey/import/lucia"
import { nextAuthV4 } from "@latchkey/import/next-auth-v4"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import express, { type Express, type RequestHandler } from "express"
import { getIronSession } from "iron-session"
import { type Adapter, Lucia } from "lucia"
import { getToken } from "next-auth4/jwt"
import { vi } from "vitest"

const require = createRequire(import.meta.url)

// Small apps with the published libraries: `GET /` names the user, and `/login` has the form of a sign-in.

export interface Former {
  readonly app: Express
  /** What the page about the library says to pass. */
  readonly accept: readonly AcceptedSource[]
  readonly userId: string
  readonly cookie: string
  /** Whether our app has no store, as theirs. */
  readonly isStateless?: boolean
  /** The sessions that the library still has, if it stores them. */
  readonly countSessions?: () => number
}

/** The day when everybody has moved. */
const until = new Date(Date.now() + 90 * 86_400_000)
const secret = "the secret of the former app, 0123456789-abcdef"

export const address = "ada@example.com"
export const password = "correct horse battery staple"

const isRight = (fields: { readonly username?: unknown; readonly password?: unknown } | undefined) =>
  fields?.username === address && fields.password === password

export const toPage = (name: string | null | undefined): string =>
  `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:," /><main><p>${name ?? "nobody"}</p></main></html>`

const form = `<!doctype html><html lang="en"><title>Login</title><link rel="icon" href="data:," /><form method="post">
<input name="username" /><input name="password" type="password" /><button>Sign in</button></form></html>`

const openApp = (): Express => express().use(express.urlencoded({ extended: false }))
const openAppWithForm = (): Express => openApp().get("/login", (_, res) => void res.send(form))

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

function openNextAuth(origin: string): Former {
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
    accept: [nextAuthV4({ secret, until })],
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

function openLucia(): Former {
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
  const accept = [readLucia({ adapter, until })]
  return { app, accept, userId: "lucia-user", cookie: "auth_session", countSessions: countRows(database) }
}

// as: the two packages have no types.
interface MemoryStore extends NonNullable<ExpressSessionOptions["store"]> {
  readonly sessions: object
}
const session = require("express-session") as ((options: object) => RequestHandler) & {
  readonly MemoryStore: new () => MemoryStore
}
interface Passport {
  use(strategy: object): void
  serializeUser(write: (user: { id: string }, done: (error: null, id: string) => void) => void): void
  deserializeUser(read: (id: string, done: (error: null, user: object) => void) => void): void
  initialize(): RequestHandler
  session(): RequestHandler
  authenticate(name: string, options: object): RequestHandler
}
const { Passport, Strategy } = require("passport") as {
  readonly Passport: new () => Passport
  readonly Strategy: new () => object
}

function openPassport(): Former {
  const store = new session.MemoryStore()
  const passport = new Passport()
  const strategy = Object.assign(new Strategy(), {
    name: "form",
    authenticate(this: { success(user: object): void; fail(): void }, req: { body: object }) {
      if (isRight(req.body)) this.success({ id: "passport-user" })
      else this.fail()
    },
  })
  passport.use(strategy)
  passport.serializeUser((user, done) => done(null, user.id))
  passport.deserializeUser((id, done) => done(null, { id }))
  const app = openAppWithForm()
  app.use(
    session({ secret, store, resave: false, saveUninitialized: false }),
    passport.initialize(),
    passport.session(),
  )
  app.post("/login", passport.authenticate("form", { successRedirect: "/", failureRedirect: "/login" }))
  app.get(
    "/",
    (req, res) => void res.send(toPage(Reflect.has(req, "user") && Reflect.get(req, "user") ? address : null)),
  )
  return {
    app,
    accept: [readExpressSession({ secret, store, until })],
    userId: "passport-user",
    cookie: "connect.sid",
    countSessions: () => Object.keys(store.sessions).length,
  }
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

function openIronSession(): Former {
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
    accept: [readIronSession({ password: secret, cookie: "app_session", until })],
    userId: "iron-user",
    cookie: "app_session",
  }
}

/** The apps by the names of their libraries. */
export const formerApps: Readonly<Record<string, (origin: string) => Former | Promise<Former>>> = {
  "next-auth 4": openNextAuth,
  Lucia: openLucia,
  "express-session and Passport": openPassport,
  "Better Auth": openBetterAuth,
  "iron-session": openIronSession,
}
