import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { passkey } from "@better-auth/passkey"
import { betterAuth as betterAuthHashes, importPassword } from "@latchkey/core/passwords"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { importFactor, importRecoveryCodes, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { currentSession, ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { authenticatorApp } from "@latchkey/testkit"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { toNodeHandler } from "better-auth/node"
import { twoFactor } from "better-auth/plugins"
import express, { type Express } from "express"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../../apps/demo/test/chromium.js"
import { toPasskeyRows } from "../../../../packages/cli/src/import/passkey-rows.js"
import type { SourceUser } from "../../../../packages/cli/src/import/records.js"
import { openBetterAuth } from "../../../../packages/cli/src/import/sources/better-auth.js"
import { address, password, toPage } from "./former.js"
import { openPlace, type Place } from "./place.js"

// A user of Better Auth registers a passkey in a browser, or sets up a second factor. Then ours runs on its port.

const secret = "the secret of the former app, 0123456789-abcdef"

/** Their app. `POST /api/auth/sign-up/email` signs a user up. */
async function openTheirs(origin: string, file: string) {
  const database = new DatabaseSync(file)
  const options = {
    baseURL: origin,
    secret,
    database,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    plugins: [passkey(), twoFactor({ skipVerificationOnEnable: true })],
  }
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const app = express().use("/api/auth", toNodeHandler(auth))
  app.get("/", (_, res) => void res.send(toPage("their app")))
  return { app, close: () => database.close() }
}

/** Calls their API as their client does, with its cookies. */
const call = (page: Page, path: string, body?: object): Promise<Record<string, unknown>> =>
  page.evaluate(
    async ([url, text]) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: text }
      const response = await fetch(`/api/auth${url}`, text === undefined ? {} : (init as RequestInit)) // as: text is set
      if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
      return response.json()
    },
    [path, body && JSON.stringify(body)] as const,
  )

/** What `@better-auth/passkey/client` does: it asks for options, and sends what the browser creates. */
async function registerPasskey(page: Page): Promise<void> {
  const options = await call(page, "/passkey/generate-register-options")
  const response: object = await page.evaluate(async (json) => {
    // as: what their server sends is in the standard's JSON form.
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      json as unknown as PublicKeyCredentialCreationOptionsJSON,
    )
    const created = await navigator.credentials.create({ publicKey })
    return (created as PublicKeyCredential).toJSON() // as: the kind that was asked for
  }, options)
  await call(page, "/passkey/verify-registration", { response, name: "Laptop" })
}

/** Stays until the page is closed. */
async function addVirtualDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable", { enableUI: false })
  const device = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const
  const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true }
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options })
}

/** Reads their database as `latchkey import better-auth` does. */
async function readUser(folder: string): Promise<SourceUser> {
  const environment = { BETTER_AUTH_SECRET: secret }
  const source = await openBetterAuth({ argument: "sqlite:theirs.db", folder, environment, options: {} })
  try {
    for await (const row of source.read(undefined)) if (row.kind === "user") return row.user
    throw new Error("There is no user")
  } finally {
    await source.close()
  }
}

interface OursOptions {
  readonly user: SourceUser
  readonly acceptForeignUserHandles: boolean
}

/** Our app, with all that the user had there. */
async function openOurs({ user, acceptForeignUserHandles }: OursOptions) {
  const adapter = sqlite(":memory:")
  const config: ExpressAuthConfig = {
    secret: "the secret of our app, 0123456789-abcdefghijkl",
    adapter,
    trustHost: true,
    // The refused passkey is expected.
    ...(!acceptForeignUserHandles && { logger: { error() {} } }),
    providers: [
      Passkey({ acceptForeignUserHandles }),
      Passwords({ breached: false, accept: [betterAuthHashes()], signUp: false, mail: { send() {} } }),
    ],
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
  }
  const { id, email, passkeys = [] } = user
  await adapter.createUser({ id, email: email ?? "", name: user.name ?? null, emailVerified: new Date() })
  for (const given of passkeys) {
    const rows = toPasskeyRows(given, { userId: id, provider: "passkey" })
    await adapter.linkAccount(rows.account)
    await adapter.createAuthenticator(rows.passkey)
  }
  if (user.password) expect(await importPassword(config, id, user.password)).toBe(true)
  for (const app of user.totp ?? []) {
    expect(await importFactor(config, id, { kind: "totp", secret: app.secret })).toBe(true)
    expect(await importRecoveryCodes(config, id, user.recoveryCodes ?? [])).toBe(true)
  }
  const app = express().use("/auth", ExpressAuth(config))
  app.get("/", currentSession(config), (_, res) => void res.send(toPage(res.locals.session?.user?.email)))
  return { app, close: () => adapter.close() }
}

describe.skipIf(!hasChromium)("a user of Better Auth", () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let place: Place
  let folder: string
  let running: { readonly app: Express; close(): void } | undefined
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-passkeys-"))
    place = await openPlace()
    await deploy(await openTheirs(place.origin, join(folder, "theirs.db")))
    context = await browser.newContext()
    page = await context.newPage()
    await addVirtualDevice(page)
    await page.goto(place.origin)
    await call(page, "/sign-up/email", { email: address, password, name: "Ada Lovelace" })
  })
  afterEach(async () => {
    await context.close()
    await place.stop()
    running?.close()
    running = undefined
    rmSync(folder, { recursive: true })
  })

  async function deploy(next: { readonly app: Express; close(): void }): Promise<void> {
    running?.close()
    running = next
    await place.deploy(next.app)
  }

  async function deployOurs(acceptForeignUserHandles = true): Promise<void> {
    await deploy(await openOurs({ user: await readUser(folder), acceptForeignUserHandles }))
    await context.clearCookies()
  }

  const who = (): Promise<string | null> => page.locator("main p").textContent()

  it("signs in here with the passkey that was registered there", async () => {
    await registerPasskey(page)
    await deployOurs()
    await page.goto(`${place.origin}/auth/signin?callbackUrl=/`)
    // At once by autofill, since the device is always present.
    await page.waitForURL(`${place.origin}/`)
    expect(await who()).toBe(address)
  })

  it("is told that the passkey is not accepted without acceptForeignUserHandles", async () => {
    await registerPasskey(page)
    await deployOurs(false)
    await page.goto(`${place.origin}/auth/signin?callbackUrl=/`)
    await page.getByRole("alert").first().waitFor()
    await page.goto(place.origin)
    expect(await who()).toBe("nobody")
  })

  it("signs in here with the password and the authenticator app or a backup code from there", async () => {
    const { totpURI, backupCodes } = await call(page, "/two-factor/enable", { password })
    const key = new URL(String(totpURI)).searchParams.get("secret") ?? ""
    await deployOurs()
    const signInUntilCode = async () => {
      await context.clearCookies()
      await page.goto(`${place.origin}/auth/signin?callbackUrl=/`)
      await page.getByLabel("Email").first().fill(address)
      await page.getByLabel("Password", { exact: true }).fill(password)
      await page.getByRole("button", { name: "Sign in", exact: true }).click()
      await page.waitForURL("**/auth/second-factor")
    }
    await signInUntilCode()
    await page.locator("input[name=code]").fill(await authenticatorApp(key).code())
    await page.keyboard.press("Enter")
    await page.waitForURL(`${place.origin}/`)
    expect(await who()).toBe(address)

    await signInUntilCode()
    await page.goto(`${place.origin}/auth/second-factor?kind=recovery`)
    // as: their API lists them.
    await page.locator("input[name=code]").fill((backupCodes as string[])[0] ?? "")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${place.origin}/`)
    expect(await who()).toBe(address)
  })
})
