import { randomBytes, randomUUID } from "node:crypto"
import {
  type BenchUser,
  createRequests,
  origin,
  sessionCookieName,
  thirtyDaysSeconds,
  toClaims,
  user,
} from "../../fixtures/host.ts"
import type { Subject, Target } from "../../scenario.ts"
import { createSealer, getCookie, jsonHeaders, toSessionCookie } from "./primitives.ts"

/** The limit of sessions and tokens. */
export const sessionSubjects: Target = {
  "session-stateless": openStatelessSession,
  "session-anonymous": openAnonymousSession,
  "session-memory": openMemorySession,
  "session-sqlite": openSqliteSession,
  encode: openEncode,
  decode: openDecode,
  "get-token": openGetToken,
}

const url = `${origin}/auth/session`
const sealer = createSealer(sessionCookieName)
const claimsOfUser = toClaims(user)

interface Claims {
  readonly name: string
  readonly email: string
  readonly picture: string
  readonly sub: string
  readonly exp: number
}

/** Seals claims as a session token. */
export function sealClaims(claims: object): string {
  const iat = Math.floor(Date.now() / 1000)
  return sealer.seal(JSON.stringify({ ...claims, iat, exp: iat + thirtyDaysSeconds, jti: randomUUID() }))
}

function openClaims(token: string): Claims {
  // Validates nothing: the limit only opens its own tokens.
  const claims = JSON.parse(sealer.open(token)) as Claims
  if (claims.exp * 1000 < Date.now()) throw new Error("Session expired")
  return claims
}

/** Opens the session cookie and seals it again. */
export function renewSession(cookieHeader: string | null): { readonly body: string; readonly cookie: string } {
  const claims = openClaims(getCookie(cookieHeader, sessionCookieName))
  const { name, email, picture } = claims
  const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
  const body = JSON.stringify({ user: { name, email, image: picture }, expires: expires.toISOString() })
  return { body, cookie: toSessionCookie(sealClaims(claims), expires) }
}

async function openStatelessSession(): Promise<Subject<Request, Response>> {
  const headers = { cookie: `${sessionCookieName}=${sealClaims(claimsOfUser)}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    run(request) {
      const { body, cookie } = renewSession(request.headers.get("cookie"))
      return new Response(body, { headers: { ...jsonHeaders, "set-cookie": cookie } })
    },
    expectedCookies: [sessionCookieName],
  }
}

async function openAnonymousSession(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, url),
    run(request) {
      if (request.headers.get("cookie") !== null) throw new Error("Expected an anonymous request")
      return new Response("null", { headers: jsonHeaders })
    },
  }
}

interface StoredSession extends Omit<BenchUser, "id"> {
  readonly expires: number
}

const sessionToken = randomBytes(32).toString("hex")
const stored: StoredSession = { ...user, expires: Date.now() + thirtyDaysSeconds * 1000 }

/** One lookup, the expiry check, and a cookie and Response written by hand. */
function openStoredSession(findSession: (token: string) => StoredSession | undefined): Subject<Request, Response> {
  const headers = { cookie: `${sessionCookieName}=${sessionToken}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    async run(request) {
      const token = getCookie(request.headers.get("cookie"), sessionCookieName)
      const found = await findSession(token)
      if (!found || found.expires < Date.now()) throw new Error("Session missing or expired")
      const { name, email, image } = found
      const expires = new Date(found.expires)
      const body = JSON.stringify({ user: { name, email, image }, expires: expires.toISOString() })
      return new Response(body, { headers: { ...jsonHeaders, "set-cookie": toSessionCookie(token, expires) } })
    },
    expectedCookies: [sessionCookieName],
  }
}

async function openMemorySession(): Promise<Subject<Request, Response>> {
  const sessions = new Map([[sessionToken, stored]])
  return openStoredSession((token) => sessions.get(token))
}

const schema = `
  CREATE TABLE "User" (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, image TEXT);
  CREATE TABLE "Session" ("sessionToken" TEXT PRIMARY KEY, "userId" TEXT NOT NULL, expires INTEGER NOT NULL)`
const query = `
  SELECT name, email, image, expires FROM "Session" JOIN "User" ON "User".id = "Session"."userId" WHERE "sessionToken" = ?`

async function openSqliteSession(): Promise<Subject<Request, Response>> {
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(":memory:")
  database.exec(schema)
  const { id, name, email, image } = user
  database.prepare(`INSERT INTO "User" VALUES (?, ?, ?, ?)`).run(id, name, email, image)
  database.prepare(`INSERT INTO "Session" VALUES (?, ?, ?)`).run(sessionToken, id, stored.expires)
  const statement = database.prepare(query)
  // The query selects exactly these columns.
  return openStoredSession((token) => statement.get(token) as unknown as StoredSession | undefined)
}

/** Claims as JSON, a random id, one encryption. */
async function openEncode(): Promise<Subject<object, string>> {
  return { prepare: (count) => Array.from({ length: count }, () => claimsOfUser), run: sealClaims }
}

/** One decryption, JSON, the expiry check. */
async function openDecode(): Promise<Subject<string>> {
  const token = sealClaims(claimsOfUser)
  return { prepare: (count) => Array.from({ length: count }, () => token), run: openClaims }
}

/** Like decode, after finding the cookie. */
async function openGetToken(): Promise<Subject<Request>> {
  const headers = { cookie: `${sessionCookieName}=${sealClaims(claimsOfUser)}` }
  return {
    prepare: (count) => createRequests(count, origin, { headers }),
    run: (request) => openClaims(getCookie(request.headers.get("cookie"), sessionCookieName)),
  }
}
