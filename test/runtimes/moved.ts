import { createHmac, type KeyObject } from "node:crypto"
import { EncryptJWT, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose"
import { readFixture } from "../../packages/import/test/setup/fixtures.ts"
import { type MovedKeys, moved } from "./app/settings.ts"

/** A session that a visitor has from another library. */
export interface MadeSession {
  readonly library: string
  readonly cookies: Readonly<Record<string, string>>
  /** Null where the cookie does not tell it. */
  readonly email: string | null
}

export interface MadeSessions {
  readonly keys: MovedKeys
  readonly sessions: readonly MadeSession[]
}

const email = "ada@example.com"
const user = { name: "Ada", email }

interface Cookie {
  readonly name: string
  readonly value: string
}

/** Sessions of the libraries that keep them in cookies. Those of next-auth 4 and others that end are made as they make them. */
export async function makeSessions(): Promise<MadeSessions> {
  const [clerk, supabase] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("ES256")])
  const keys = { clerk: await exportSPKI(clerk.publicKey), supabase: await exportJWK(supabase.publicKey) }
  const express = readFixture<{ readonly stores: { readonly cookieSession: { readonly cookies: readonly Cookie[] } } }>(
    "express-session@1.19.0+passport@0.7.0",
  )
  const iron = readFixture<{ readonly forever: readonly Cookie[] }>("iron-session@9.0.1")
  const workos = readFixture<{ readonly cookies: readonly Cookie[] }>("authkit-nextjs@4.3.2")
  const sessions: readonly MadeSession[] = [
    { library: "next-auth 4", cookies: { "next-auth.session-token": await makeNextAuth() }, email },
    { library: "Better Auth", cookies: await makeBetterAuth(), email },
    { library: "nextjs-auth0", cookies: { __session: await makeAuth0() }, email },
    { library: "Clerk", cookies: { __session: await makeClerk(clerk.privateKey) }, email: null },
    { library: "Supabase", cookies: { "sb-ref-auth-token": await makeSupabase(supabase.privateKey) }, email },
    { library: "cookie-session", cookies: toCookies(express.stores.cookieSession.cookies), email: null },
    { library: "iron-session", cookies: toCookies(iron.forever), email },
    { library: "authkit-nextjs", cookies: toCookies(workos.cookies), email },
  ]
  return { keys, sessions }
}

const toCookies = (cookies: readonly Cookie[]) => Object.fromEntries(cookies.map(({ name, value }) => [name, value]))

/** HKDF with SHA-256, RFC 5869. */
async function derive(secret: string, info: string, { salt = "", bytes = 32 } = {}): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"])
  const parameters = { name: "HKDF", hash: "SHA-256", salt: encoder.encode(salt), info: encoder.encode(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, bytes * 8))
}

const encrypt = (claims: object, enc: string) =>
  new EncryptJWT({ ...claims }).setProtectedHeader({ alg: "dir", enc }).setIssuedAt().setExpirationTime("1h")

async function makeNextAuth(): Promise<string> {
  const key = await derive(moved.nextAuth, "NextAuth.js Generated Encryption Key")
  return encrypt({ sub: "ada", ...user }, "A256GCM")
    .setJti("1")
    .encrypt(key)
}

async function makeAuth0(): Promise<string> {
  const key = await derive(moved.auth0, "JWE CEK")
  return encrypt({ user: { sub: "auth0|ada", ...user }, internal: { sid: "s" } }, "A256GCM").encrypt(key)
}

async function makeBetterAuth(): Promise<Readonly<Record<string, string>>> {
  const token = "0123456789abcdefghijklmnopqrstuv"
  const mac = createHmac("sha256", moved.betterAuth).update(token).digest("base64")
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const session = { token, userId: "ada", expiresAt, createdAt: new Date().toISOString() }
  const options = { salt: "better-auth-session", bytes: 64 }
  const key = await derive(moved.betterAuth, "BetterAuth.js Generated Encryption Key", options)
  const cached = await encrypt({ session: { session, user } }, "A256CBC-HS512").encrypt(key)
  return {
    "better-auth.session_token": encodeURIComponent(`${token}.${mac}`),
    "better-auth.session_data": cached,
  }
}

type SigningKey = CryptoKey | KeyObject

const makeClerk = (key: SigningKey): Promise<string> =>
  new SignJWT({ azp: moved.origin, sid: "s", sub: "user_ada" })
    .setProtectedHeader({ alg: "RS256" })
    .setIssuer(moved.clerk)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(key)

async function makeSupabase(key: SigningKey): Promise<string> {
  const token = await new SignJWT({ sub: "ada", email, session_id: "s", aal: "aal1" })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer(`${moved.supabase}/auth/v1`)
    .setAudience("authenticated")
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(key)
  return `base64-${Buffer.from(JSON.stringify({ access_token: token })).toString("base64url")}`
}
