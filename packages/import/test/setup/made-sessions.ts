import type { AcceptedSource } from "@latchkey/core/types"
import { authkitNextjs } from "../../src/authkit-nextjs.js"
import { betterAuth } from "../../src/better-auth.js"
import { clerk } from "../../src/clerk.js"
import { cookieSession } from "../../src/cookie-session.js"
import { expressOpenidConnect } from "../../src/express-openid-connect.js"
import { expressSession } from "../../src/express-session.js"
import type { JwkSet } from "../../src/formats/jwk-set.js"
import { ironSession } from "../../src/iron-session.js"
import { nextjsAuth0 } from "../../src/nextjs-auth0.js"
import { supabase } from "../../src/supabase.js"
import { day, type FixtureCookie, readFixture, until } from "./fixtures.js"

/** A session that a library made, and how it is read. */
export interface MadeSession {
  readonly cookies: readonly FixtureCookie[]
  /** The id of its user. */
  readonly userId: string
  /** The address in the claims: null if there is none. */
  readonly email: string | null
  /** When it is valid. */
  readonly at: string
  /** When it is over. Undefined for one without an end. */
  readonly over?: string
  /** Where its first cookie is changed, as parts of its length: a place that is signed. Default: everywhere. */
  readonly places?: readonly number[]
  source(): AcceptedSource
  /** The same with another secret or key. */
  other?(): AcceptedSource
}

interface Cookies {
  readonly cookies: readonly FixtureCookie[]
}

const other = "another secret of another app, 0123456789"
const otherHex = "f".repeat(30) + "0123456789abcdef".repeat(2)
const day2 = "2026-11-29T09:00:00Z"
const ada = "ada@example.com"

const better = readFixture<{
  readonly secret: string
  readonly email: Cookies & { readonly rows: { readonly session: readonly object[]; readonly user: readonly object[] } }
  readonly secondary: Cookies & { readonly kv: readonly (readonly [string, string])[] }
  readonly stateless: Cookies
}>("better-auth@1.7.25")
const betterRows = new Map(better.email.rows.session.map((row) => [Reflect.get(row, "token"), row]))
const betterStore = new Map(better.secondary.kv)

const express = readFixture<{
  readonly secret: readonly string[]
  readonly stores: Readonly<Record<"memory" | "redis" | "file" | "cookieSession", Cookies & { readonly rows: Rows }>>
}>("express-session@1.19.0+passport@0.7.0")
type Rows = Readonly<Record<string, string | { readonly v: string }>> | null

/** A store as connect-* stores are: it calls back. */
function storeOf(rows: Rows, toKey: (id: string) => string) {
  return {
    get(id: string, callback: (error: unknown, session?: unknown) => void) {
      const row = rows?.[toKey(id)]
      callback(null, row === undefined ? undefined : JSON.parse(typeof row === "string" ? row : row.v))
    },
  }
}

const base = readFixture<{
  readonly jwtSecret: string
  readonly jwks: JwkSet
  readonly cookies: Readonly<Record<"HS256" | "ES256" | "chunked", readonly FixtureCookie[]>>
}>("supabase-ssr@0.12.7")
const url = "https://abcdefghijklmnopqrst.supabase.co"
const supabaseUser = "8b3f1c7e-5f0a-4c63-9a0e-1d2f3a4b5c6d"

const auth0 = readFixture<{ readonly secret: string } & Cookies & { readonly stateful: Cookies & StoredRows }>(
  "nextjs-auth0@4.30.0",
)
interface StoredRows {
  readonly rows: readonly (readonly [string, object])[]
}
const oidc = readFixture<{
  readonly secret: string
  readonly stateless: Cookies
  readonly store: Cookies & StoredRows
}>("express-openid-connect@3.4.0")
const clerkMade = readFixture<
  Cookies & { readonly jwks: JwkSet; readonly pem: string; readonly issuer: string; readonly authorizedParty: string }
>("clerk-backend@3.25.0")
const iron = readFixture<{
  readonly password: string
  readonly passwords: Readonly<Record<string, string>>
  readonly cookies: readonly FixtureCookie[]
  readonly rotated: readonly FixtureCookie[]
  readonly forever: readonly FixtureCookie[]
}>("iron-session@9.0.1")
const workos = readFixture<Cookies & { readonly password: string }>("authkit-nextjs@4.3.2")

const clerkOptions = { issuer: clerkMade.issuer, authorizedParties: [clerkMade.authorizedParty], until }
const inStore = (rows: StoredRows["rows"]) => new Map<string, unknown>(rows)
/** The cookie has an access token, which alone is signed. */
const accessToken = [0.1, 0.3, 0.5]
const common = { at: day, over: day2, email: ada } as const

const stateful = inStore(auth0.stateful.rows)
const oidcRows = inStore(oidc.store.rows)

export const made: Readonly<Record<string, MadeSession>> = {
  "Better Auth": {
    ...common,
    cookies: better.email.cookies,
    userId: "O9TSUf5IJsR0DafRZlG65j1MDve3eXJ3",
    email: null,
    over: "2026-12-05T08:00:00Z",
    source: () => betterAuth({ secret: better.secret, find: (token) => betterRows.get(token), until }),
    other: () => betterAuth({ secret: other, find: (token) => betterRows.get(token), until }),
  },
  "Better Auth with a secondary storage": {
    ...common,
    cookies: better.secondary.cookies,
    userId: "c1TtUSI3RnHtJ44PbGFefyYoWK263gVN",
    over: "2026-12-05T08:17:00Z",
    source: () => betterAuth({ secret: [other, better.secret], get: async (key) => betterStore.get(key), until }),
  },
  "Better Auth without a database": {
    ...common,
    cookies: better.stateless.cookies,
    userId: "5n8jkgK1HEHVXQxT29oxPUJz12bctvB2",
    over: "2026-12-05T08:17:00Z",
    source: () => betterAuth({ secret: better.secret, until }),
    other: () => betterAuth({ secret: other, until }),
  },
  "express-session in memory": {
    ...common,
    cookies: express.stores.memory.cookies,
    userId: "user-1",
    email: null,
    over: "2026-12-12T08:00:00Z",
    source: () =>
      expressSession({ secret: express.secret, store: storeOf(express.stores.memory.rows, (id) => id), until }),
    other: () => expressSession({ secret: other, store: storeOf(express.stores.memory.rows, (id) => id), until }),
  },
  "express-session in Redis": {
    ...common,
    cookies: express.stores.redis.cookies,
    userId: "user-1",
    email: null,
    over: "2026-12-12T08:00:00Z",
    source: () =>
      expressSession({
        secret: express.secret,
        cookie: "app.sid",
        store: storeOf(express.stores.redis.rows, (id) => `sess:${id}`),
        until,
      }),
  },
  "express-session in files": {
    ...common,
    cookies: express.stores.file.cookies,
    userId: "user-1",
    email: null,
    over: "2026-12-12T08:00:00Z",
    source: () =>
      expressSession({ secret: express.secret, store: storeOf(express.stores.file.rows, (id) => `${id}.json`), until }),
  },
  "cookie-session": {
    at: day,
    cookies: express.stores.cookieSession.cookies,
    userId: "user-1",
    email: null,
    source: () => cookieSession({ secret: express.secret, until }),
    other: () => cookieSession({ secret: other, until }),
  },
  "Supabase with HS256": {
    ...common,
    cookies: base.cookies.HS256,
    userId: supabaseUser,
    places: accessToken,
    source: () => supabase({ url, jwtSecret: base.jwtSecret, until }),
    other: () => supabase({ url, jwtSecret: other, until }),
  },
  "Supabase with ES256": {
    ...common,
    cookies: base.cookies.ES256,
    userId: supabaseUser,
    places: accessToken,
    source: () => supabase({ url, jwks: base.jwks, until }),
    other: () => supabase({ url, jwtSecret: other, until }),
  },
  "Supabase in parts": {
    ...common,
    cookies: base.cookies.chunked,
    userId: supabaseUser,
    places: [0.05, 0.15, 0.25],
    source: () => supabase({ url, jwtSecret: base.jwtSecret, jwks: base.jwks, until }),
  },
  "nextjs-auth0": {
    ...common,
    cookies: auth0.cookies,
    userId: "idp|ada",
    source: () => nextjsAuth0({ secret: auth0.secret, until }),
    other: () => nextjsAuth0({ secret: otherHex, until }),
  },
  "nextjs-auth0 with a store": {
    ...common,
    cookies: auth0.stateful.cookies,
    userId: "idp|ada",
    source: () => nextjsAuth0({ secret: auth0.secret, sessionStore: { get: (id) => stateful.get(id) }, until }),
  },
  "express-openid-connect": {
    ...common,
    cookies: oidc.stateless.cookies,
    userId: "idp|ada",
    source: () => expressOpenidConnect({ secret: oidc.secret, until }),
    other: () => expressOpenidConnect({ secret: other, until }),
  },
  "express-openid-connect with a store": {
    ...common,
    cookies: oidc.store.cookies,
    userId: "idp|ada",
    source: () => expressOpenidConnect({ secret: oidc.secret, store: { get: async (id) => oidcRows.get(id) }, until }),
  },
  Clerk: {
    at: "2026-11-28T08:01:30Z",
    over: day,
    email: null,
    cookies: clerkMade.cookies,
    userId: "user_2ada",
    source: () => clerk({ ...clerkOptions, jwtKey: clerkMade.pem }),
    other: () => clerk({ ...clerkOptions, authorizedParties: ["https://other.example.com"], jwks: clerkMade.jwks }),
  },
  "iron-session": {
    ...common,
    cookies: iron.cookies,
    userId: "user-1",
    over: "2026-12-13T09:00:00Z",
    source: () => ironSession({ password: iron.password, cookie: "app_session", until }),
    other: () => ironSession({ password: other, cookie: "app_session", until }),
  },
  "iron-session with two passwords": {
    ...common,
    cookies: iron.rotated,
    userId: "user-1",
    over: "2026-12-13T09:00:00Z",
    source: () => ironSession({ password: iron.passwords, cookie: "app_session", until }),
    other: () => ironSession({ password: { 1: iron.password }, cookie: "app_session", until }),
  },
  "iron-session for ever": {
    at: day,
    email: ada,
    cookies: iron.forever,
    userId: "user-1",
    source: () => ironSession({ password: iron.password, cookie: "app_session", until }),
  },
  "authkit-nextjs": {
    at: day,
    email: ada,
    cookies: workos.cookies,
    userId: "user_01ADA",
    source: () => authkitNextjs({ password: workos.password, until }),
    other: () => authkitNextjs({ password: other, until }),
  },
}
