import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { betterAuth as betterAuthHashes } from "@latchkey/core/passwords"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { authenticatorApp, testHost } from "@latchkey/testkit"
import { hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { twoFactor } from "better-auth/plugins"
import { PostgresDialect } from "kysely"
import { describe, expect, it } from "vitest"
import { importCommand } from "../../../packages/cli/src/import/import.js"
import { openNextAuth } from "../../../packages/cli/src/import/sources/next-auth.js"
import { makeFolder, readSource } from "../../../packages/cli/test/import/source-fixtures.js"
import { openKyselyStore } from "./theirs/kysely-store.js"
import { openPool } from "./theirs/pg-pool.js"
import { openPgStore } from "./theirs/pg-store.js"
import type { TheirStore } from "./theirs/their-store.js"

const secret = "the secret of their app, 0123456789-abcdefghij"
const origin = "http://localhost:4713"
const [email, password] = ["ada@example.com", "correct horse battery"]

/** Signs a user up at Better Auth, who sets up an authenticator app. */
async function signUpThere(file: string): Promise<{ readonly totp: string; readonly codes: readonly string[] }> {
  const database = new DatabaseSync(file)
  const auth = betterAuth({
    ...{ database, secret, baseURL: origin, emailAndPassword: { enabled: true }, plugins: [twoFactor()] },
    ...{ telemetry: { enabled: false }, rateLimit: { enabled: false } },
  })
  await (await getMigrations(auth.options)).runMigrations()
  const cookies = new Map<string, string>()
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const headers = { origin, cookie, "content-type": "application/json" }
    const request = new Request(`${origin}/api/auth${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    const response = await auth.handler(request)
    expect(response.status).toBe(200)
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response.json()
  }
  await post("/sign-up/email", { email, password, name: "Ada Lovelace" })
  const enabled = await post("/two-factor/enable", { password })
  const key = new URL(String(enabled["totpURI"])).searchParams.get("secret") ?? ""
  await post("/two-factor/verify-totp", { code: await authenticatorApp(key).code() })
  database.close()
  return { totp: key, codes: Array.isArray(enabled["backupCodes"]) ? enabled["backupCodes"].map(String) : [] }
}

describe("a user of better-auth, after latchkey import", () => {
  it("signs in with the password and the authenticator app, or a recovery code, that they had there", async () => {
    const folder = makeFolder()
    const there = await signUpThere(join(folder, "theirs.db"))
    const adapter = sqlite(":memory:")
    const { config, newBrowser } = testHost({
      adapter,
      session: { strategy: "jwt" },
      providers: [Passwords({ mail: { send: () => undefined }, breached: false, accept: [betterAuthHashes()] })],
      secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    })
    const providers = new Map([["password", "credentials"]])
    const target = { name: "auth.ts", adapter, providers, config, settings: {}, close: async () => undefined }
    const context = {
      folder,
      environment: { BETTER_AUTH_SECRET: secret },
      print: () => undefined,
      printError: () => undefined,
    }
    expect(await importCommand(["better-auth", "sqlite:theirs.db", "--yes"], context, async () => target)).toBe(0)
    for (const [kind, code] of [
      ["totp", await authenticatorApp(there.totp).code()],
      ["recovery", there.codes[0] ?? ""],
    ] as const) {
      const browser = newBrowser()
      await browser.signIn("password", { email, password })
      expect(await browser.session()).toBeNull()
      const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), code })
      await browser.fetch(`/auth/second-factor/${kind}`, { method: "POST", body })
      expect((await browser.session())?.user?.email).toBe(email)
    }
  })
})

describe.skipIf(!hasProgram("postgres"))("users of the adapters of Auth.js, for latchkey import", () => {
  const stores: readonly (readonly [string, (url: string) => Promise<TheirStore>])[] = [
    ["@auth/pg-adapter", (url) => openPgStore(url, "theirs")],
    ["@auth/kysely-adapter", (url) => openKyselyStore("postgres", new PostgresDialect({ pool: openPool(url) }))],
  ]
  it.each(stores)("are read from the tables of %s", async (_, open) => {
    const server = await startPostgres()
    try {
      const { adapter, close } = await open(server.url)
      const emailVerified = new Date("2025-03-04T05:06:07.089Z")
      const user = await adapter.createUser?.({ id: "", name: "Ada", email, emailVerified, image: null })
      const id = String(user?.id)
      const account = { type: "oidc", provider: "google", providerAccountId: "108", access_token: "at" } as const
      // Its ids are numbers, in records too.
      await adapter.linkAccount?.({ ...account, userId: user?.id ?? "", expires_at: 1_795_856_301 })
      await close()
      const { users, survey } = await readSource(openNextAuth, { argument: server.url })
      expect(Object.fromEntries(survey.providers)).toEqual({ google: 1 })
      expect(users).toMatchObject([
        { id, name: "Ada", email, emailVerified, accounts: [{ ...account, expires_at: new Date(1_795_856_301_000) }] },
      ])
    } finally {
      await server.stop()
    }
  })
})
