import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ExpressSessionOptions } from "@latchkey/import/express-session"
import { startPostgres, startRedis } from "@latchkey/testkit/servers"
import { NodePostgresAdapter } from "@lucia-auth/adapter-postgresql"
import { RedisStore } from "connect-redis"
import type { Express, RequestHandler } from "express"
import { Lucia } from "lucia"
import pg from "pg"
import { createClient } from "redis"
import { acceptOfPage } from "./code-of-page.js"
import { address, type Former, isRight, openAppWithForm, secret, toPage } from "./former.js"

const require = createRequire(import.meta.url)

type Store = NonNullable<ExpressSessionOptions["store"]>
type Middleware = (options: object) => RequestHandler

// as: these packages have no types here.
const session = require("express-session") as Middleware & {
  readonly MemoryStore: new () => Store & { sessions: object }
}
const cookieSession = require("cookie-session") as Middleware
const PgStore = require("connect-pg-simple")(session) as new (options: object) => Store
const FileStore = require("session-file-store")(session) as new (options: object) => Store
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

const userId = "passport-user"

/** An app with Passport, whose session the given functions keep. */
function openPassportApp(...sessions: readonly RequestHandler[]): Express {
  const passport = new Passport()
  const strategy = Object.assign(new Strategy(), {
    name: "form",
    authenticate(this: { success(user: object): void; fail(): void }, req: { body: object }) {
      if (isRight(req.body)) this.success({ id: userId })
      else this.fail()
    },
  })
  passport.use(strategy)
  passport.serializeUser((user, done) => done(null, user.id))
  passport.deserializeUser((id, done) => done(null, { id }))
  const app = openAppWithForm()
  app.use(...sessions, passport.initialize(), passport.session())
  app.post("/login", passport.authenticate("form", { successRedirect: "/", failureRedirect: "/login" }))
  app.get(
    "/",
    (req, res) => void res.send(toPage(Reflect.has(req, "user") && Reflect.get(req, "user") ? address : null)),
  )
  return app
}

/** An app whose sessions are in a store. */
async function openStored(store: Store, own: Pick<Former, "countSessions" | "close">): Promise<Former> {
  return {
    app: openPassportApp(session({ secret, store, resave: false, saveUninitialized: false })),
    accept: await acceptOfPage("express-session", { SESSION_SECRET: secret }, { store }),
    userId,
    cookie: "connect.sid",
    ...own,
  }
}

export function openPassport(): Promise<Former> {
  const store = new session.MemoryStore()
  return openStored(store, { countSessions: () => Object.keys(store.sessions).length })
}

export async function openRedisSessions(): Promise<Former> {
  const server = await startRedis()
  const client = createClient({ url: server.url })
  await client.connect()
  const close = async () => {
    await client.close()
    await server.stop()
  }
  return openStored(new RedisStore({ client }), { countSessions: () => client.dbSize(), close })
}

async function openPostgres() {
  const server = await startPostgres()
  const pool = new pg.Pool({ connectionString: server.url })
  // The server ends connections that the pool has just given up.
  pool.on("error", () => {})
  const countRows = async () => Number((await pool.query("SELECT count(*) AS count FROM session")).rows[0].count)
  const close = async () => {
    await pool.end()
    await server.stop()
  }
  return { pool, countRows, close }
}

export async function openPostgresSessions(): Promise<Former> {
  const { pool, countRows, close } = await openPostgres()
  const store = new PgStore({ pool, createTableIfMissing: true, pruneSessionInterval: false })
  return openStored(store, { countSessions: countRows, close })
}

export function openFileSessions(): Promise<Former> {
  const path = mkdtempSync(join(tmpdir(), "latchkey-session-files-"))
  const store = new FileStore({ path, reapInterval: -1, logFn: () => {} })
  const countSessions = () => readdirSync(path).filter((file) => file.endsWith(".json")).length
  return openStored(store, { countSessions, close: () => rmSync(path, { recursive: true }) })
}

/** What apps add so that Passport finds the functions of express-session, which cookie-session lacks. */
const addMissing: RequestHandler = (req, _, next) => {
  const kept: object = Reflect.get(req, "session")
  const succeed = (done: () => void) => done()
  for (const name of ["regenerate", "save"]) {
    if (!Reflect.has(kept, name)) Reflect.defineProperty(kept, name, { value: succeed })
  }
  next()
}

export async function openCookieSession(): Promise<Former> {
  return {
    app: openPassportApp(cookieSession({ keys: [secret] }), addMissing),
    accept: await acceptOfPage("cookie-session", { SESSION_SECRET: secret }),
    userId,
    cookie: "session",
  }
}

export async function openLuciaOnPostgres(): Promise<Former> {
  const { pool, countRows, close } = await openPostgres()
  await pool.query("CREATE TABLE member (id TEXT PRIMARY KEY)")
  await pool.query(`CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES member (id),
    expires_at TIMESTAMPTZ NOT NULL)`)
  await pool.query("INSERT INTO member VALUES ($1)", [userId])
  const adapter = new NodePostgresAdapter(pool, { user: "member", session: "session" })
  const lucia = new Lucia(adapter, { sessionCookie: { attributes: { secure: false } } })
  const app = openAppWithForm()
  app.post("/login", async (req, res) => {
    if (!isRight(req.body)) return void res.redirect("/login")
    const { id } = await lucia.createSession(userId, {})
    res.append("set-cookie", lucia.createSessionCookie(id).serialize()).redirect("/")
  })
  app.get("/", async (req, res) => {
    const id = lucia.readSessionCookie(req.headers.cookie ?? "")
    const { user } = id === null ? { user: null } : await lucia.validateSession(id)
    res.send(toPage(user && address))
  })
  return {
    app,
    accept: await acceptOfPage("lucia", {}, { adapter }),
    userId,
    cookie: "auth_session",
    countSessions: countRows,
    close,
  }
}
