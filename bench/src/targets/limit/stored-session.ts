import { randomBytes } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { origin, sessionCookieName, thirtyDaysSeconds } from "../../fixtures/host.ts"
import { type Person, person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { findCookie, jsonHeaders, toSessionCookie } from "./http.ts"

interface StoredSession extends Omit<Person, "id"> {
  readonly expires: number
}

type FindSession = (sessionToken: string) => StoredSession | undefined | Promise<StoredSession | undefined>

const sessionToken = randomBytes(32).toString("hex")
const stored: StoredSession = { ...person, expires: Date.now() + thirtyDaysSeconds * 1000 }

/** One lookup, the check of the expiry, cookie and Response by hand. */
function answerFrom(findSession: FindSession): Subject<Request, Response> {
  const headers = { cookie: `${sessionCookieName}=${sessionToken}` }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/session`, { headers }),
    async act(request) {
      const token = findCookie(request.headers.get("cookie"), sessionCookieName)
      const found = await findSession(token)
      if (!found || found.expires < Date.now()) throw new Error("No session")
      const { name, email, image } = found
      const expires = new Date(found.expires)
      const body = JSON.stringify({ user: { name, email, image }, expires: expires.toISOString() })
      return new Response(body, { headers: { ...jsonHeaders, "set-cookie": toSessionCookie(token, expires) } })
    },
    sets: [sessionCookieName],
  }
}

export async function openMemorySession(): Promise<Subject<Request, Response>> {
  const sessions = new Map([[sessionToken, stored]])
  return answerFrom((token) => sessions.get(token))
}

const schema = `
  CREATE TABLE "User" (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, image TEXT);
  CREATE TABLE "Session" ("sessionToken" TEXT PRIMARY KEY, "userId" TEXT NOT NULL, expires INTEGER NOT NULL)`
const query = `
  SELECT name, email, image, expires FROM "Session" JOIN "User" ON "User".id = "Session"."userId" WHERE "sessionToken" = ?`

export async function openSqliteSession(): Promise<Subject<Request, Response>> {
  const database = new DatabaseSync(":memory:")
  database.exec(schema)
  const { id, name, email, image } = person
  database.prepare(`INSERT INTO "User" VALUES (?, ?, ?, ?)`).run(id, name, email, image)
  database.prepare(`INSERT INTO "Session" VALUES (?, ?, ?)`).run(sessionToken, id, stored.expires)
  const statement = database.prepare(query)
  // The columns are those of the query.
  return answerFrom((token) => statement.get(token) as unknown as StoredSession | undefined)
}
