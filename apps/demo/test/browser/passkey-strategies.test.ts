import Passkey from "@latchkey/core/providers/passkey"
import WebAuthn from "@latchkey/core/providers/webauthn"
import { ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import express from "express"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { listenOnLoopback } from "../../src/web/loopback-server.js"
import { hasChromium, launchChromium } from "../chromium.js"
import { addVirtualDevice, browserTestOptions, type VirtualDevice } from "../stage.js"
import { openSignIn, openSignInWithoutAutofill, signInButton, signUpWithPasskey } from "../steps.js"

describe.skipIf(!hasChromium).each(["jwt", "database"] as const)(
  "passkeys with the session strategy %s",
  browserTestOptions,
  (strategy) => {
    let browser: Browser
    let host: PasskeyHost
    let context: BrowserContext
    let page: Page
    let device: VirtualDevice

    beforeAll(async () => {
      browser = await launchChromium()
    }, browserTestOptions.timeout)
    afterAll(() => browser.close())
    beforeEach(async () => {
      host = await openPasskeyHost({ session: { strategy } })
      context = await browser.newContext()
      page = await context.newPage()
      device = await addVirtualDevice(page)
    })
    afterEach(async () => {
      await context.close()
      await host.close()
    })

    const waitForApp = (): Promise<void> => page.waitForURL(`${host.origin}/`)
    const readSession = async (): Promise<unknown> => (await context.request.get(`${host.origin}/auth/session`)).json()

    it("reject a user who fails user verification", async () => {
      await openSignInWithoutAutofill(page, host.origin)
      await device.setUserVerified(false)
      await signUpWithPasskey(page, "ada@example.com")
      expect(await page.getByRole("alert").textContent()).toContain("That was canceled")
      expect(await readSession()).toBeNull()
    })

    it("sign up, sign out, and sign in again by button and by autofill", async () => {
      await openSignInWithoutAutofill(page, host.origin, "/")
      await signUpWithPasskey(page, "ada@example.com")
      await waitForApp()
      expect(await readSession()).toMatchObject({ user: { email: "ada@example.com" } })
      await page.goto(`${host.origin}/auth/signout`)
      await page.getByRole("button", { name: "Sign out" }).click()
      expect(await readSession()).toBeNull()
      await openSignInWithoutAutofill(page, host.origin, "/")
      await signInButton(page).click()
      await waitForApp()
      expect(await readSession()).toMatchObject({ user: { email: "ada@example.com" } })
      await context.clearCookies()
      await openSignIn(page, host.origin, "/")
      await waitForApp()
      expect(await readSession()).toMatchObject({ user: { email: "ada@example.com" } })
    })

    it("sign in by email address when the provider has no discoverable passkeys", async () => {
      await openSignInWithoutAutofill(page, host.origin, "/")
      const form = page.locator("#webauthn-form")
      await form.getByLabel("Email").fill("grace@example.com")
      await form.getByRole("button", { name: "Create a passkey" }).click()
      await waitForApp()
      expect(await readSession()).toMatchObject({ user: { email: "grace@example.com" } })
      await context.clearCookies()
      await openSignInWithoutAutofill(page, host.origin, "/")
      await form.getByLabel("Email").fill("grace@example.com")
      await form.getByLabel("Email").press("Enter")
      await waitForApp()
      expect(await readSession()).toMatchObject({ user: { email: "grace@example.com" } })
    })
  },
)

/** An app with two passkey providers: one with discoverable passkeys, and one that asks for the email address. */
interface PasskeyHost {
  readonly origin: string
  close(): Promise<void>
}

async function openPasskeyHost(host: Pick<ExpressAuthConfig, "session">): Promise<PasskeyHost> {
  const server = await listenOnLoopback(0)
  const adapter = sqlite(":memory:")
  const app = express()
  const config: ExpressAuthConfig = {
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    adapter,
    providers: [Passkey({ name: "a passkey" }), WebAuthn({ name: "a key", enableConditionalUI: false })],
    ...host,
  }
  app.use("/auth", ExpressAuth(config))
  app.get("/", (_, response) => {
    response.type("html").send("<!doctype html><title>App</title><h1>App</h1>")
  })
  server.serve(app)
  return {
    origin: server.origin,
    close: async () => {
      await server.close()
      adapter.close()
    },
  }
}
