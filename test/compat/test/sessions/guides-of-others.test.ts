import { randomBytes } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { authenticatorApp } from "@latchkey/testkit"
import bcrypt from "bcryptjs"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { twoFactor } from "better-auth/plugins"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { address, password, secret } from "./former.js"

// What the scripts of Better Auth's migration guides leave, as docs/moving-from/other-guides.md says. Each writes the rows that
// the script of the guide writes for one user.

const origin = "http://localhost:3000"
const key = "JBSWY3DPEHPK3PXP"
const now = new Date()

/** The check of passwords that the guide for Clerk configures. */
const bcryptPasswords = {
  hash: (text: string) => bcrypt.hash(text, 4),
  verify: (given: { readonly hash: string; readonly password: string }) => bcrypt.compare(given.password, given.hash),
}

async function open(database: DatabaseSync, passwords?: typeof bcryptPasswords) {
  const options = {
    baseURL: origin,
    secret,
    database,
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true, ...(passwords && { password: passwords }) },
    plugins: [twoFactor()],
  }
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const { adapter } = await auth.$context
  const times = { createdAt: now, updatedAt: now }
  const user = { email: address, emailVerified: true, name: "Ada Lovelace", ...times }
  async function createUser(more: object = {}): Promise<string> {
    const { id } = await adapter.create({ model: "user", data: { ...user, ...more }, forceAllowId: true })
    return String(id)
  }
  async function createAccount(userId: string): Promise<void> {
    const account = { providerId: "credential", issuer: "local:credential", accountId: userId, userId, ...times }
    await adapter.create({ model: "account", data: { ...account, password: await bcrypt.hash(password, 4) } })
  }
  const createFactor = (userId: string) =>
    adapter.create({ model: "twoFactor", data: { userId, secret: key, backupCodes: "unused" } })
  const call = (path: string, body: object, cookie = ""): Promise<Response> =>
    auth.handler(
      new Request(`${origin}/api/auth${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin, cookie },
        body: JSON.stringify(body),
      }),
    )
  const signIn = () => call("/sign-in/email", { email: address, password })
  return { auth, adapter, createUser, createAccount, createFactor, call, signIn }
}

describe("a user whom a guide of Better Auth moved", () => {
  let database: DatabaseSync
  beforeEach(() => {
    database = new DatabaseSync(":memory:")
  })
  afterEach(() => database.close())

  it("is signed out by the guide for next-auth, although it keeps the rows of sessions", async () => {
    const { auth, adapter, createUser } = await open(database)
    const token = randomBytes(16).toString("hex")
    const session = { userId: await createUser(), token, expiresAt: new Date(now.valueOf() + 86_400_000) }
    await adapter.create({ model: "session", data: { ...session, createdAt: now, updatedAt: now } })
    for (const name of ["authjs.session-token", "next-auth.session-token", "better-auth.session_token"]) {
      expect(await auth.api.getSession({ headers: new Headers({ cookie: `${name}=${token}` }) })).toBeNull()
    }
  })

  it("cannot use a password from Auth0, whose guide leaves Better Auth's own check of hashes", async () => {
    const { createUser, createAccount, signIn } = await open(database)
    await createAccount(await createUser())
    expect((await signIn()).ok).toBe(false)
  })

  it("is not asked for a second factor from Auth0, for which the guide writes a row alone", async () => {
    const { createUser, createAccount, createFactor, signIn } = await open(database, bcryptPasswords)
    const userId = await createUser()
    await createAccount(userId)
    await createFactor(userId)
    const answer = await signIn()
    expect([answer.status, await answer.json()]).toMatchObject([200, { user: { email: address } }])
  })

  it("keeps the ID and the password from Clerk, and no code of the app is right, which the guide stores as it is", async () => {
    const { createUser, createAccount, createFactor, call, signIn } = await open(database, bcryptPasswords)
    const userId = await createUser({ id: "user_2abc", twoFactorEnabled: true })
    expect(userId).toBe("user_2abc")
    await createAccount(userId)
    await createFactor(userId)
    const answer = await signIn()
    expect(await answer.json()).toMatchObject({ twoFactorRedirect: true })
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(";", 1)[0])
      .join("; ")
    const code = await authenticatorApp(key).code()
    expect((await call("/two-factor/verify-totp", { code }, cookie)).ok).toBe(false)
  })
})
